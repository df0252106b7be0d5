// Cards as elements: their faces, their backs, and how one is carried to the reader.

import { $, colourOf, make, numberOf } from "./elements.js";
import { t } from "./texts.js";

const FAR = 8; // pixels that a finger may tremble before a tap becomes a drag
const LONG = 500; // milliseconds: a finger that rests on a card wants something else than to lay it

export function face(card, kind = "span", owner = 0) {
  const text = numberOf(card);
  const element = make(kind, `card face ${colourOf(card)}`);
  element.classList.toggle("long", text.length > 2);
  element.dataset.card = card;
  element.style.setProperty("--hue", Math.round(215 + Number(text) * 1.5));
  // In a fan only a corner of a card is seen: the number stands there too. The element's label says it once.
  element.append(make("i", "", text, { "aria-hidden": true }), make("b", "", text));
  if (owner) element.append(make("u", "owner", String(owner), { "data-seat": owner, "aria-hidden": true }));
  return element;
}

export function back(seat) {
  const element = make("span", "card back", "", { "aria-hidden": true });
  if (seat) {
    element.dataset.seat = seat;
    element.append(make("b", "", String(seat)));
  }
  return element;
}

export function nameOf(card) {
  return t({ white: "white_card", red: "red_card" }[colourOf(card)] || "card", { n: numberOf(card) });
}

// Cards beside each other or one over the other, as their style says.
export function spread(place, cards) {
  place.style.setProperty("--n", Math.max(cards.length, 1));
  cards.forEach((card, i) => card.style.setProperty("--i", i));
  place.replaceChildren(...cards);
}

// A card of a hand that is being looked at: a tap lays it, and so does carrying it to the reader.
export function playable(element, lay) {
  element.type = "button";
  let start = null;
  let since = 0;
  let moved = false;
  let byHand = false;
  const over = (e) => document.elementsFromPoint(e.clientX, e.clientY).some((x) => x.closest(".box, #pile"));
  const end = (e, dropped) => {
    if (!start) return;
    start = null;
    element.classList.remove("carried");
    element.style.translate = "";
    document.body.classList.remove("carrying");
    $("reader").classList.remove("over");
    const rested = e.pointerType !== "mouse" && performance.now() - since > LONG;
    if (dropped && (moved ? over(e) : !rested)) lay();
  };
  element.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    start = e;
    since = performance.now();
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
  element.addEventListener("contextmenu", (e) => e.preventDefault());
  element.addEventListener("click", () => {
    if (!byHand) lay(); // a key, or a screen reader
    byHand = false;
  });
}
