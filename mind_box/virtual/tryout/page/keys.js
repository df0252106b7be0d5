// The keyboard: each button of the box has a key, down for as long as the key is. All of it can be switched off.

import { kept } from "./kept.js";
import * as press from "./press.js";
import { send } from "./wire.js";

export function listen({ lay, main }) {
  const ends = new Map(); // key -> what its release does

  document.addEventListener("keydown", (e) => {
    if (!kept.keys || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    if (e.target.closest?.("input, select, textarea, [contenteditable]")) return;
    const act = meaning(e);
    if (!act) return;
    e.preventDefault();
    if (e.repeat || ends.has(e.code)) return;
    ends.set(e.code, act() || (() => {}));
  });
  document.addEventListener("keyup", (e) => {
    const end = ends.get(e.code);
    ends.delete(e.code);
    if (end) end();
  });
  window.addEventListener("blur", () => ends.clear());

  function meaning(e) {
    const digit = /^(?:Digit|Numpad)([0-8])$/.exec(e.code)?.[1];
    if (digit && e.shiftKey) return digit === "0" ? null : () => send({ do: "lay", seat: Number(digit), card: null });
    if (digit) return () => button(Number(digit));
    switch (e.key.toLowerCase()) {
      case "s": return () => button(0);
      case "m": return () => press.hold(0, 1700);
      case "h": return main;
      case "l": return lay;
      case "d": return () => send({ do: "deal" });
      case "c": return () => send({ do: "check" });
      default: return null;
    }
  }

  function button(number) {
    const who = `keyboard ${number}`;
    press.down(number, who);
    return () => press.up(who);
  }
}
