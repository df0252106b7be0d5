// Buttons that are pressed and held: by mouse, finger, key, and by a screen reader's click, which is a tap.

import { mention, send } from "./wire.js";

const SHORTEST = 80; // milliseconds between two movements of a button: clicks can be faster than the box's debounce

const held = new Map(); // who holds which buttons: a pointer, a key
const moves = new Map(); // button -> movements that wait for their time

export function down(button, who) {
  const already = isHeld(button);
  held.set(who, [...(held.get(who) || []), button]);
  if (!already) move(button, "press");
}

export function up(who) {
  const buttons = held.get(who) || [];
  held.delete(who);
  for (const button of buttons) if (!isHeld(button)) move(button, "lift");
}

// At most one press and its lift wait: whoever clicks faster than a box can see presses once.
function move(button, what) {
  if (!moves.has(button)) moves.set(button, { waiting: [], at: -SHORTEST, timer: 0 });
  const { waiting } = moves.get(button);
  if (what === "press" ? waiting.includes("press") : waiting.at(-1) === "lift") return;
  waiting.push(what);
  go(button);
}

function go(button) {
  const queue = moves.get(button);
  if (queue.timer || !queue.waiting.length) return;
  const wait = queue.at + SHORTEST - performance.now();
  if (wait > 0) {
    queue.timer = setTimeout(() => {
      queue.timer = 0;
      go(button);
    }, wait);
    return;
  }
  send({ do: queue.waiting.shift(), button });
  queue.at = performance.now();
  go(button);
}

export function isHeld(button) {
  return [...held.values()].some((buttons) => buttons.includes(button));
}

// Nothing of this page is down any more: without a connection the box has let go of everything, and nothing is to be
// told to it later; and what is down while the window is left stays down as a hand that lies there.
export function forgetAll() {
  held.clear();
  for (const queue of moves.values()) queue.waiting = [];
}

export function rest() {
  if (!held.size) return;
  forgetAll();
  mention({ do: "rest" });
}

export function tap(button) {
  down(button, "tap");
  setTimeout(() => up("tap"), 120);
}

export function hold(button, milliseconds) {
  if (held.has("hold")) return;
  down(button, "hold");
  setTimeout(() => up("hold"), milliseconds);
}

// Makes an element a push button of the box.
export function push(element, button) {
  let byHand = false;
  const press = (who) => {
    byHand = true;
    down(button, who);
  };
  element.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    element.setPointerCapture(e.pointerId);
    press(`pointer ${e.pointerId}`);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    element.addEventListener(end, (e) => up(`pointer ${e.pointerId}`));
  }
  element.addEventListener("keydown", (e) => {
    if (e.key !== " " && e.key !== "Enter") return;
    e.preventDefault();
    if (!e.repeat) press(`key ${button}`);
  });
  element.addEventListener("keyup", (e) => {
    if (e.key === " " || e.key === "Enter") {
      e.preventDefault();
      up(`key ${button}`);
    }
  });
  element.addEventListener("blur", () => {
    if (document.hasFocus()) up(`key ${button}`); // the window that is left lets its hands lie
  });
  element.addEventListener("contextmenu", (e) => e.preventDefault());
  element.addEventListener("click", () => {
    if (!byHand) tap(button); // nobody pressed: a screen reader or a voice did
    byHand = false;
  });
}
