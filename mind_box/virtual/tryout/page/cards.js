// Cards as elements: their faces, their backs, and how one is carried to the reader.

import { $, colourOf, make, numberOf } from "./elements.js";
import { send } from "./wire.js";

const FAR = 8; // pixels that a finger may tremble before a tap becomes a drag

export function face(card, kind = "span") {
  const text = numberOf(card);
  const element = make(kind, `card face ${colourOf(card)}`);
  element.classList.toggle("long", text.length > 2);
  element.dataset.card = card;
  element.style.setProperty("--hue", Math.round(215 + Number(text) * 1.5));
  // In a fan only a corner of a card is seen: the number stands there too. The element's label says it once.
  element.append(make("i", "", text, { "aria-hidden": true }), make("b", "", text));
  return element;
}

export function back(seat) {
  const element = make("span", "card back", "", { "aria-hidden": true });
  if (seat) element.dataset.seat = seat;
  return element;
}

// Cards beside each other or one over the other, as their style says.
export function spread(place, cards) {
  place.style.setProperty("--n", Math.max(cards.length, 1));
  cards.forEach((card, i) => card.style.setProperty("--i", i));
  place.replaceChildren(...cards);
}

// A card of a hand that is being looked at: a tap lays it, and so does carrying it to the reader.
export function playable(element, seat, card) {
  element.type = "button";
  const name = { white: "White", red: "Red" }[colourOf(card)] || "Card";
  element.setAttribute("aria-label", `${name} ${numberOf(card)}: lay it`);
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
    $("reader").classList.toggle("over", moved && over(e));
  });
  element.addEventListener("pointerup", (e) => end(e, true));
  element.addEventListener("pointercancel", (e) => end(e, false));
  element.addEventListener("click", () => {
    if (!byHand) lay(element, seat, card); // a key, or a screen reader
    byHand = false;
  });
}

function lay(element, seat, card) {
  $("reader").classList.remove("over");
  fly(element, $("reader"));
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
