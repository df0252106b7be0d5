// Cards as elements: their faces, their backs, and how one is carried to the reader.

import { send } from "./wire.js";

const FAR = 8; // pixels that a finger may tremble before a tap becomes a drag

export function label(card) {
  if (typeof card === "number") return `Card ${card}`;
  return `${card[0] === "W" ? "White" : "Red"} ${card.slice(1)}`;
}

function number(card) {
  return typeof card === "number" ? card : Number(card.slice(1));
}

export function face(card, kind = "span") {
  const element = document.createElement(kind);
  element.className = "card face";
  if (typeof card === "string") element.classList.add(card[0] === "W" ? "white" : "red");
  element.dataset.card = card;
  element.style.setProperty("--hue", Math.round(215 + number(card) * 1.5));
  const text = String(card).replace(/^[WR]/, "");
  if (text.length > 2) element.classList.add("long");
  // In a fan only a corner of a card is seen: the number stands there too. The element's label says it once.
  const [corner, big] = [document.createElement("i"), document.createElement("b")];
  corner.textContent = big.textContent = text;
  corner.setAttribute("aria-hidden", "true");
  element.append(corner, big);
  return element;
}

export function back(seat) {
  const element = document.createElement("span");
  element.className = "card back";
  element.setAttribute("aria-hidden", "true");
  if (seat) element.dataset.seat = seat;
  return element;
}

// A card of a hand that is being looked at: a tap lays it, and so does carrying it to the reader.
export function playable(element, seat, card) {
  element.type = "button";
  element.setAttribute("aria-label", `${label(card)}: lay it`);
  let start = null;
  let moved = false;
  let byHand = false;
  const over = (e) => document.elementsFromPoint(e.clientX, e.clientY).some((x) => x.closest(".box, #pile"));
  const end = (e, dropped) => {
    if (!start) return;
    start = null;
    element.classList.remove("carried");
    element.style.translate = "";
    document.body.classList.remove("carrying");
    if (dropped && (!moved || over(e))) lay(element, seat, card);
  };
  element.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    start = e;
    moved = false;
    byHand = true;
    element.setPointerCapture(e.pointerId);
  });
  element.addEventListener("pointermove", (e) => {
    if (!start) return;
    const [dx, dy] = [e.clientX - start.clientX, e.clientY - start.clientY];
    if (!moved && Math.hypot(dx, dy) > FAR) {
      moved = true;
      element.classList.add("carried");
      document.body.classList.add("carrying");
    }
    if (moved) element.style.translate = `${dx}px ${dy}px`;
    document.getElementById("reader").classList.toggle("over", moved && over(e));
  });
  element.addEventListener("pointerup", (e) => end(e, true));
  element.addEventListener("pointercancel", (e) => end(e, false));
  element.addEventListener("click", () => {
    if (!byHand) lay(element, seat, card); // a key, or a screen reader
    byHand = false;
  });
}

function lay(element, seat, card) {
  const reader = document.getElementById("reader");
  reader.classList.remove("over");
  fly(element, reader);
  send({ do: "lay", seat, card });
}

// One movement from here to there, and then it is over: nothing moves by itself while a level is played.
export function fly(from, to) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  if (!a.width || !b.width) return;
  const ghost = from.cloneNode(true);
  ghost.removeAttribute("id");
  ghost.classList.add("flying");
  ghost.setAttribute("aria-hidden", "true");
  ghost.inert = true;
  Object.assign(ghost.style, {
    left: `${a.left}px`, top: `${a.top}px`, width: `${a.width}px`, height: `${a.height}px`, translate: "",
  });
  document.body.append(ghost);
  const [dx, dy] = [b.left + b.width / 2 - a.left - a.width / 2, b.top + b.height / 2 - a.top - a.height / 2];
  ghost
    .animate([{}, { transform: `translate(${dx}px, ${dy}px) scale(0.8)`, opacity: 0.6 }], { duration: 220, easing: "ease-out" })
    .finished.then(() => ghost.remove(), () => ghost.remove());
}
