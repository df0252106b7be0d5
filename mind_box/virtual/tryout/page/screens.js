// The screens: 1-bit frames of the display chips onto canvases, pixel by pixel.

const INK = [214, 238, 255];
const frames = new Map();
const canvases = new Map();

export function place(index, canvas) {
  canvases.set(index, canvas);
  draw(index);
}

// A frame: the screen's number, its contrast (0: dark), its height, then rows of pixels, first pixel in the highest bit.
export function take(bytes) {
  frames.set(bytes[0], bytes);
  draw(bytes[0]);
}

function draw(index) {
  const canvas = canvases.get(index);
  const frame = frames.get(index);
  if (!canvas || !frame) return;
  const [, contrast, height] = frame;
  const light = contrast ? 0.45 + 0.55 * (contrast / 255) : 0;
  const image = new ImageData((8 * (frame.length - 3)) / height, height);
  const pixels = new Uint32Array(image.data.buffer);
  const ink = 0xff000000 | ((INK[2] * light) << 16) | ((INK[1] * light) << 8) | (INK[0] * light);
  for (let i = 0; i < pixels.length; i++) {
    const lit = light && frame[3 + (i >> 3)] & (0x80 >> (i & 7));
    pixels[i] = lit ? ink : 0xff0a0705;
  }
  canvas.width = image.width;
  canvas.style.maxWidth = height > image.width ? "50%" : ""; // one that stands upright
  canvas.style.display = "block";
  canvas.style.margin = "0 auto";
  canvas.height = height;
  canvas.getContext("2d").putImageData(image, 0, 0);
  canvas.dispatchEvent(new CustomEvent("drawn"));
}
