// The people around the table: a name, a badge, how many cards, and what everyone sees them do. A person's hand is
// covered until somebody looks at it; a virtual player's always is.

import { ask } from "./ask.js";
import { back, face, nameOf, playable, spread } from "./cards.js";
import { make } from "./elements.js";
import { t } from "./texts.js";
import { send } from "./wire.js";

const hands = new Map(); // seat -> {element, fan, lock, cards, due, open, hover}

export function makeHand(seat) {
  const element = make("div", "hand", "", { "data-seat": seat, role: "group" });
  const who = make("p", "chip", "", { "aria-hidden": true });
  const badge = make("b", "badge", String(seat), { "data-seat": seat });
  const name = make("span", "who");
  const told = make("span", "told");
  who.append(badge, name, told);
  const fan = make("div", "fan");
  const lock = make("button", "lock small", "", { type: "button" });
  lock.addEventListener("click", () => open(seat, !hands.get(seat).open));
  element.append(who, fan, lock);
  const hand = {
    element, fan, lock, name, told, cards: null, due: [], open: false, hover: false, sent: false, drawn: "", who: "",
    telling: "",
  };
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

export function take({ seat, cards, due }) {
  const hand = hands.get(seat);
  if (!hand) return;
  hand.cards = hand.sent ? cards : null;
  hand.due = due || [];
  draw(seat);
}

// `seat`: as the room tells it; `what`: who it is called, whether it is watched, alone, and how its cards count now.
export function update({ seat, kind, backs }, { who, watching, alone, glows, asks, marks }) {
  const hand = hands.get(seat);
  Object.assign(hand, { person: kind === "person" && !watching, backs, kind, who, alone, glows, asks, marks });
  hand.element.classList.toggle("empty", kind === "empty");
  look(seat);
}

// The lowest card of the first person's hand.
export function lowest(seat) {
  const hand = hands.get(seat);
  if (hand) layCard(seat, null);
}

function layCard(seat, card) {
  const hand = hands.get(seat);
  const lay = () => send({ do: "lay", seat, card });
  if (card === null || !hand.asks || hand.due.includes(card)) return lay();
  const named = { card: typeof card === "number" ? card : nameOf(card) };
  return ask(t("ask_lower", named), t("ask_yes", named), t("ask_no"), lay);
}

function draw(seat) {
  const hand = hands.get(seat);
  const open = Boolean(hand.person && hand.cards !== null);
  const glows = open && hand.glows ? hand.due : [];
  const parts = [open ? hand.cards : hand.backs, open, hand.person, hand.open, hand.who, hand.alone, glows, hand.due];
  const drawn = JSON.stringify([...parts, hand.marks, document.documentElement.lang]);
  if (drawn === hand.drawn) return;
  hand.drawn = drawn;
  const n = open ? hand.cards.length : hand.backs;
  hand.name.textContent = hand.who;
  const marks = (hand.marks || []).map(([sign, text]) => make("span", "mark", sign, { title: text }));
  hand.told.replaceChildren(document.createTextNode(n ? t("cards", { n }) : ""), ...marks);
  const said = t(open ? "hand_of" : "hand_covered", { who: hand.who, n: n || 0 });
  hand.element.setAttribute("aria-label", [said, ...(hand.marks || []).map(([, text]) => text)].join(", "));
  hand.element.classList.toggle("open", open);
  const gone = !hand.person || !n || (hand.alone && hand.open);
  hand.lock.hidden = gone;
  hand.lock.textContent = t(hand.open ? "cover" : "look");
  hand.lock.setAttribute("aria-label", t(hand.open ? "cover_name" : "look_name", { who: hand.who }));
  const focused = document.activeElement?.closest?.(".card")?.dataset.card;
  const mine = hand.fan.contains(document.activeElement);
  const cards = open
    ? hand.cards.map((card) => {
        const element = face(card, "button");
        const due = hand.due.includes(card);
        element.classList.toggle("due", glows.includes(card));
        element.setAttribute("aria-label", t(due ? "due_card" : "lay_card", { card: nameOf(card) }));
        playable(element, () => layCard(seat, card));
        return element;
      })
    : Array.from({ length: n || 0 }, () => back(seat));
  spread(hand.fan, cards);
  if (mine) {
    const again = cards.find((c) => c.dataset.card === focused) || cards.find((c) => c.tagName === "BUTTON");
    (again || (gone ? hand.element.closest("section") : hand.lock)).focus();
  }
}
