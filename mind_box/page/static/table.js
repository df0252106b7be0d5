// The table page: what everyone may see of the game, and nothing that can be pressed.

import { $, colourOf, drawStory, make, numberOf, stale } from "./elements.js";
import { keepOpen } from "./live.js";

let labels = { lost: "No connection to the box: what you see is old. It is looked for …" };
let said = "";

function draw(message) {
  const { view } = message;
  labels = message.labels;
  document.documentElement.lang = message.language;
  for (const named of document.querySelectorAll("[data-label]")) named.textContent = labels[named.dataset.label];
  document.body.dataset.phase = view.phase;
  const playing = view.phase !== "lobby";
  $("says").textContent = message.says;
  $("todo").textContent = message.todo;
  $("level").textContent = playing ? `${view.level}/${view.last_level}` : "–";
  signs($("lives"), "♥", view.lives, 5);
  signs($("stars"), "★", view.stars, 3);
  $("hands").textContent = playing ? view.remaining : "–";
  const { piles, aside } = lying(view);
  const hidden = view.blind && view.phase !== "reveal" && !view.ended;
  $("top").replaceChildren(...piles.map((pile) => big(hidden ? null : pile.at(-1), hidden)));
  $("piles").replaceChildren(...piles.map((pile, i) => list(pile, piles.length > 1 ? [labels.up, labels.down][i] : labels.pile, hidden)));
  row($("aside"), aside);
  drawStory(message.story);
  speak([message.story.at(-1), message.todo].filter(Boolean).join(" "));
}

// What lies on the table: between two levels the finished pile, until somebody goes on.
function lying({ ended, piles, aside }) {
  return ended ? { piles: Array.isArray(ended.pile[0]) ? ended.pile : [ended.pile], aside: ended.aside } : { piles, aside };
}

function big(card, hidden) {
  if (hidden) return make("div", "big back", "?");
  return card === undefined ? make("div", "big none") : make("div", `big ${colourOf(card)}`, numberOf(card));
}

function list(pile, name, hidden) {
  const ul = make("ul", "row", "", { "aria-label": name });
  row(ul, pile, hidden ? labels.face_down : labels.empty);
  return ul;
}

function row(ul, cards, none = "–") {
  const items = cards.map((card) => make("li", `small ${colourOf(card)}`, numberOf(card)));
  ul.replaceChildren(...(items.length ? items : [make("li", "nothing", none)]));
}

function signs(place, sign, count, most) {
  place.replaceChildren(...Array.from({ length: most }, (_, i) => make("i", i < count ? "lit" : "", sign)));
}

function speak(words) {
  if (words === said) return;
  said = words;
  $("spoken").textContent = words;
}

keepOpen({
  heard: (data) => {
    const message = JSON.parse(data);
    stale(message.full);
    if (message.full) document.documentElement.lang = message.language;
    else draw(message);
  },
  lost: (code) => {
    if (code !== 1013) stale(labels.lost); // else it has been said why
  },
});
