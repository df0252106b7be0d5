// The piezo: the box's few tunes, when its menu has switched the sound on.

const NAMES = { C: -9, D: -7, E: -5, F: -4, G: -2, A: 0, B: 2 };
let audio = null;

export function play(notes) {
  audio = audio || new AudioContext();
  let at = audio.currentTime + 0.02;
  for (const [name, seconds] of notes) {
    if (name) {
      const tone = audio.createOscillator();
      const level = audio.createGain();
      tone.type = "square";
      tone.frequency.value = 440 * 2 ** ((NAMES[name[0]] + 12 * (Number(name.at(-1)) - 4)) / 12);
      level.gain.value = 0.04;
      tone.connect(level).connect(audio.destination);
      tone.start(at);
      tone.stop(at + seconds * 0.92);
    }
    at += seconds;
  }
}
