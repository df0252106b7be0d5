// The hands around the table. A person's hand is covered until somebody looks at it; a virtual player's always is.

import { send } from "./wire.js";
import { back, face, playable, spread } from "./cards.js";
import { make } from "./elements.js";

const hands = new Map(); // seat -> {element, fan, lock, cards, open, hover}

export function makeHand(seat) {
  const element = make("div", "hand", "", { "data-seat": seat, role: "group" });
  const fan = make("div", "fan");
  const lock = make("button", "lock small", "", { type: "button" });
  lock.addEventListener("click", () => open(seat, !hands.get(seat).open));
  element.append(fan, lock);
  const hand = { element, fan, lock, cards: null, open: false, hover: false, sent: false, drawn: "" };
  hands.set(seat, hand);
  for (const [event, on] of [["pointerenter", true], ["pointerleave", false]]) {
    element.addEventListener(event, (e) => {
      if (e.pointerType !== "mouse") return;
      hand.hover = on;
      look(seat);
    });
  }
  fan.addEventListener("click", () => {
    if (hand.person && !hand.cards) open(seat, true);
  });
  return element;
}

export function open(seat, on) {
  hands.get(seat).open = on;
  look(seat);
}

// Asks for the cards of a hand that somebody looks at, and gives them back when they look away.
function look(seat) {
  const hand = hands.get(seat);
  const on = Boolean(hand.person && (hand.open || hand.hover));
  if (on !== hand.sent) {
    hand.sent = on;
    if (!on) hand.cards = null;
    send({ do: "look", seat, on });
  }
  draw(seat);
}

export function forget() {
  for (const hand of hands.values()) Object.assign(hand, { sent: false, cards: null });
}

export function take({ seat, cards }) {
  const hand = hands.get(seat);
  if (!hand) return;
  hand.cards = hand.sent ? cards : null;
  draw(seat);
}

export function update({ seat, kind, backs }, watching) {
  const hand = hands.get(seat);
  hand.person = kind === "person" && !watching;
  hand.backs = backs;
  hand.kind = kind;
  look(seat);
}

export function elementOf(seat) {
  return hands.get(seat)?.fan;
}

function draw(seat) {
  const hand = hands.get(seat);
  const open = hand.person && hand.cards !== null;
  const drawn = JSON.stringify([open ? hand.cards : hand.backs, open, hand.person, hand.open]);
  if (drawn === hand.drawn) return;
  hand.drawn = drawn;
  const count = open ? hand.cards.length : hand.backs;
  const whose = hand.person ? `Cards of seat ${seat}` : `Cards of seat ${seat}, covered`;
  hand.element.setAttribute("aria-label", `${whose}: ${count}`);
  hand.element.classList.toggle("open", open);
  hand.lock.classList.toggle("gone", !hand.person || !count);
  hand.lock.textContent = hand.open ? "Cover" : "Look";
  hand.lock.setAttribute("aria-label", `${hand.open ? "Cover" : "Look at"} the cards of seat ${seat}`);
  const focused = document.activeElement?.closest?.(".card")?.dataset.card;
  const mine = hand.fan.contains(document.activeElement);
  const cards = open
    ? hand.cards.map((card) => {
        const element = face(card, "button");
        playable(element, seat, card);
        return element;
      })
    : Array.from({ length: count || 0 }, () => back(seat));
  spread(hand.fan, cards);
  if (mine) {
    const again = cards.find((c) => c.dataset.card === focused) || cards.find((c) => c.tagName === "BUTTON");
    (again || hand.lock).focus();
  }
}
