// The cloth: deck, pile and what lies aside; at the end of a level the whole pile as a fan, and the pair that went wrong.

import { back, face, spread } from "./cards.js";
import { $, attribute, make } from "./elements.js";
import { list, t } from "./texts.js";

const MOST = 12; // cards of a pile that are drawn while it grows

let shown = null; // how the level that is shown as over ended
let pair = null;

export function drawCloth(state) {
  const view = state.view;
  $("deck-text").textContent = String(state.deck);
  $("deck").setAttribute("aria-label", t("deck_cards", { n: state.deck }));
  if (!view) return;
  const ended = view.ended && ["deal", "focus", "won", "lost"].includes(view.phase) ? view.ended : null;
  document.body.classList.toggle("over", Boolean(ended));
  if (ended) drawEnd(ended, view.phase === "lost");
  else drawPile(state, view);
  const aside = ended ? ended.aside : view.aside;
  const late = pair ? pair.late : [];
  $("aside").replaceChildren(
    ...aside.map((card) => {
      const element = face(card, "span", state.owners[card]);
      element.classList.toggle("wrong", late.includes(card));
      return element;
    }),
  );
  const said = aside.length ? t("aside_cards", { cards: aside.join(", ") }) : t("nothing_aside");
  attribute($("aside"), { role: "img", "aria-label": said });
  $("aside").closest("section").classList.toggle("none", !aside.length);
  drawLink();
}

function drawPile(state, view) {
  shown = null;
  const error = view.phase === "focus" || view.phase === "reveal" ? view.last_error : null;
  pair = error ? { early: error.early, late: error.aside } : null;
  const names = view.piles.length === 2 ? [t("pile_up"), t("pile_down")] : [t("pile")];
  const piles = view.piles.map((cards, i) => {
    const drawn = cards.slice(-MOST).map((card) => marked(card, state.owners[card]));
    const pile = heap(drawn, pileName(names[i], cards));
    pile.classList.toggle("none", !cards.length && !state.face_down);
    return pile;
  });
  if (state.face_down) {
    const backs = Array.from({ length: Math.min(state.face_down, 6) }, () => back());
    piles.push(heap(backs, t("face_down", { n: state.face_down })));
  }
  $("pile").replaceChildren(...piles);
  const count = view.piles.flat().length + state.face_down;
  $("pile-name").textContent = count ? `${t("pile")} (${count})` : t("pile");
  $("verdict").textContent = "";
}

function marked(card, owner) {
  const element = face(card, "span", owner);
  element.classList.toggle("wrong", pair?.early === card);
  return element;
}

function pileName(pile, cards) {
  return cards.length ? t("pile_cards", { pile, cards: cards.join(", ") }) : t("pile_empty", { pile });
}

function drawEnd(ended, lost) {
  const piles = Array.isArray(ended.pile[0]) ? ended.pile : [ended.pile];
  pair = ended.early === null ? null : { early: ended.early, late: ended.late };
  const names = piles.length === 2 ? [t("pile_up"), t("pile_down")] : [t("pile")];
  $("pile-name").textContent = t(lost ? "ended_lost" : "ended", { n: ended.level });
  $("pile").replaceChildren(
    ...piles.map((cards, i) => {
      const fan = heap(cards.map((card) => marked(card, 0)), pileName(names[i], cards));
      fan.classList.add("fanned");
      const middle = (cards.length - 1) / 2;
      [...fan.children].forEach((card, k) => card.style.setProperty("--turn", middle ? (k - middle) / middle : 0));
      return fan;
    }),
  );
  const reward = { life: t("reward_life"), star: t("reward_star") }[ended.reward] || "";
  const why = pair ? t(ended.paid ? "ended_early" : "ended_free", { early: pair.early, late: list(pair.late) }) : "";
  $("verdict").textContent = ["", why || (lost || ended.aside.length ? "" : t("ended_clean")), reward].filter((x, i) => x || !i).join(" · ").trim();
  const again = JSON.stringify(ended) === JSON.stringify(shown);
  shown = ended;
  if (!again && ended.reward && arrived) rewarded(ended.reward);
  arrived = true;
}

let arrived = false; // an end that was there when the page came is old news

// The reward goes to its lamp, once. Nothing else on this page moves by itself, and this not while a level is played.
function rewarded(kind) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const lamps = [...$(kind === "star" ? "stars" : "lives").children].filter((lamp) => lamp.classList.contains("lit"));
  const [a, b] = [$("verdict"), lamps.at(-1)].map((x) => x?.getBoundingClientRect());
  if (!a || !b) return;
  const gift = make("span", `gift ${kind}`, kind === "star" ? "★" : "♥", { "aria-hidden": true });
  Object.assign(gift.style, { left: `${a.left + a.width / 2}px`, top: `${a.top}px` });
  document.body.append(gift);
  const [dx, dy] = [b.left + b.width / 2 - a.left - a.width / 2, b.top + b.height / 2 - a.top];
  const way = [
    { transform: "translate(-50%, -50%) scale(0.6)", opacity: 0 },
    { transform: "translate(-50%, -120%) scale(1.6)", opacity: 1, offset: 0.3 },
    { transform: `translate(calc(${dx}px - 50%), calc(${dy}px - 50%)) scale(0.5)`, opacity: 0.9 },
  ];
  const gone = () => gift.remove();
  gift.animate(way, { duration: 1100, easing: "cubic-bezier(0.4, 0, 0.2, 1)" }).finished.then(gone, gone);
}


function heap(cards, name) {
  const element = make("div", "heap", "", { role: "img", "aria-label": name });
  spread(element, cards);
  return element;
}

// A line from the card that was too early to the card that came too late.
function drawLink() {
  const link = $("link");
  link.replaceChildren();
  if (!pair) return;
  const early = $("pile").querySelector(".wrong");
  const late = $("aside").querySelector(".wrong");
  if (!early || !late) return;
  const cloth = $("cloth").getBoundingClientRect();
  const [a, b] = [early, late].map((x) => x.getBoundingClientRect());
  const [x1, y1] = [a.left + a.width / 2 - cloth.left, a.bottom - cloth.top];
  const [x2, y2] = [b.left + b.width / 2 - cloth.left, b.bottom - cloth.top];
  const low = Math.max(y1, y2) + 14;
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M ${x1} ${y1 + 2} C ${x1} ${low}, ${x2} ${low}, ${x2} ${y2 + 2}`);
  link.append(path);
}

window.addEventListener("resize", drawLink);

