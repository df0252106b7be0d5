// The table page: what everyone may see of the game, and nothing that can be pressed.

import { keepOpen } from "./live.js";

const $ = (id) => document.getElementById(id);
let labels = { lost: "No connection to the box: what you see is old. It is looked for …" };
let said = "";

function stale(yes) {
  if (yes && $("lost").hidden) $("lost").textContent = labels.lost;
  $("lost").hidden = !yes;
  document.body.classList.toggle("stale", yes);
}

function draw(message) {
  const { view } = message;
  labels = message.labels;
  document.documentElement.lang = message.language;
  for (const element of document.querySelectorAll("[data-label]")) element.textContent = labels[element.dataset.label];
  document.body.dataset.phase = view.phase;
  const playing = view.phase !== "lobby";
  $("says").textContent = message.says;
  $("todo").textContent = message.todo;
  $("level").textContent = playing ? `${view.level}/${view.last_level}` : "–";
  signs($("lives"), "♥", view.lives, 5);
  signs($("stars"), "★", view.stars, 3);
  $("hands").textContent = playing ? view.remaining : "–";
  const hidden = view.blind && view.phase !== "reveal";
  $("top").replaceChildren(...view.piles.map((pile) => big(hidden ? null : pile.at(-1), hidden)));
  $("piles").replaceChildren(...view.piles.map((pile, i) => list(pile, view.piles.length > 1 ? [labels.up, labels.down][i] : labels.pile, hidden)));
  row($("aside"), view.aside);
  const lines = message.story;
  if ($("story").childElementCount !== lines.length || $("story").lastElementChild?.textContent !== lines.at(-1)) {
    $("story").replaceChildren(...lines.map((line) => element("li", "", line)));
    $("story").scrollTop = $("story").scrollHeight;
  }
  speak([lines.at(-1), message.todo].filter(Boolean).join(" "));
}

function element(tag, name, text) {
  return Object.assign(document.createElement(tag), { className: name, textContent: text });
}

function colour(card) {
  return typeof card === "string" ? (card[0] === "W" ? " white" : " red") : "";
}

function big(card, hidden) {
  if (hidden) return element("div", "big back", "?");
  if (card === undefined) return element("div", "big none", "");
  return element("div", `big${colour(card)}`, String(card).replace(/^[WR]/, ""));
}

function list(pile, name, hidden) {
  const ul = element("ul", "row", "");
  ul.setAttribute("aria-label", name);
  row(ul, pile, hidden ? labels.face_down : labels.empty);
  return ul;
}

function row(ul, cards, none = "–") {
  const items = cards.map((card) => element("li", `small${colour(card)}`, String(card).replace(/^[WR]/, "")));
  ul.replaceChildren(...(items.length ? items : [element("li", "nothing", none)]));
}

function signs(place, sign, count, most) {
  place.replaceChildren(...Array.from({ length: most }, (_, i) => element("i", i < count ? "lit" : "", sign)));
}

function speak(words) {
  if (words === said) return;
  said = words;
  $("spoken").textContent = words;
}

keepOpen({
  heard: (data) => {
    stale(false);
    draw(JSON.parse(data));
  },
  lost: () => stale(true),
});
