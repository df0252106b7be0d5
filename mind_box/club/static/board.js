// The board: what the hub sends is what stands in <main>. Nothing moves by itself.

import { $, stale } from "./elements.js";
import { keepOpen } from "./live.js";

const language = document.documentElement.lang;
let shown = "";

keepOpen({
  opened: (socket) => socket.send(language),
  heard: (html) => {
    stale("");
    if (html === shown) return;
    shown = html;
    document.querySelector("main").innerHTML = html; // of our own server, which escapes all that others wrote
  },
  lost: () => stale($("lost").dataset.lost),
});
