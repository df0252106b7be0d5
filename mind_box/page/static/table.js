// The table page: what everyone may see of the game, and nothing that can be pressed.

import { $, colourOf, drawStory, make, numberOf, stale } from "./elements.js";
import { keepOpen } from "./live.js";

const MANY = 36; // cards in a row of cards

let labels = { lost: $("lost").dataset.lost };
let said = "";
let told = null;

function draw(message) {
  const { view } = message;
  labels = message.labels;
  document.documentElement.lang = message.language;
  for (const named of document.querySelectorAll("[data-label]")) named.textContent = labels[named.dataset.label];
  document.body.dataset.phase = view.phase;
  const playing = view.phase !== "lobby";
  $("says").textContent = message.says;
  $("todo").textContent = message.todo;
  $("level").textContent = `${view.level}/${view.last_level}`;
  signs($("lives"), "♥", "♡", view.lives, 5);
  signs($("stars"), "★", "☆", view.stars, 3);
  $("hands").textContent = view.remaining;
  $("ten").textContent = message.ten;
  $("tens").hidden = !message.ten;
  for (const id of ["top", "state", "lying"]) $(id).hidden = !playing;
  $("variant").hidden = playing;
  $("variant").textContent = message.variant;
  $("best").textContent = message.best;
  $("told").replaceChildren(...message.told.map((fact) => make("span", "", fact)));
  drawAddress(message.address);
  $("rules").replaceChildren(...message.rules.map((rule) => make("li", "", rule)));
  $("seats").setAttribute("aria-label", labels.seats);
  $("seats").replaceChildren(...message.seats.map(seat));
  drawTable(view);
  $("why").textContent = message.why;
  drawStory(message.story);
  speak([...news(message.story), message.spoken].filter(Boolean).join(" "));
}

// Between two levels the finished pile, until somebody goes on.
function drawTable(view) {
  const { ended, last_error: last } = view;
  const error = ended ?? (view.reason === "error" && last ? { early: last.early, late: last.aside } : {});
  const piles = !ended ? view.piles : Array.isArray(ended.pile[0]) ? ended.pile : [ended.pile];
  const hidden = view.blind && view.phase !== "reveal" && !ended;
  const names = piles.length > 1 ? [labels.up, labels.down] : [labels.pile];
  $("top").replaceChildren(...piles.map((pile, i) => big(hidden ? null : pile.at(-1), piles.length > 1 ? "▲▼"[i] : "")));
  $("piles").replaceChildren(...piles.map((pile, i) => list(pile, names[i], hidden ? labels.face_down : labels.empty, error)));
  row($("aside"), ended ? ended.aside : view.aside, "–", error);
}

function seat({ name, word, missing, cards }) {
  const place = make("li", missing ? "missing" : word ? "done" : "");
  place.append(make("b", "", name), make("span", "", cards), make("span", "word", word));
  return place;
}

function drawAddress(address) {
  $("address").hidden = !address;
  if (!address || $("url").textContent === address) return;
  $("url").textContent = address;
  $("qr").alt = address;
  $("qr").onload = $("qr").onerror = ({ type }) => ($("qr").hidden = type === "error");
  $("qr").src = `qr.svg?${encodeURIComponent(address)}`;
}

function big(card, way) {
  const place = make("div", "place");
  if (way) place.append(make("span", "way", way, { "aria-hidden": "true" }));
  if (card === null) place.append(make("div", "big back", "?"));
  else place.append(card === undefined ? make("div", "big none") : make("div", `big ${colourOf(card)}`, numberOf(card)));
  return place;
}

function list(pile, name, none, error) {
  const ul = make("ul", "row", "", { "aria-label": name });
  row(ul, pile, none, error);
  return ul;
}

// A card of the Extreme deck says by a sign, not by its colour alone, where it belongs.
function row(ul, cards, none, { early, late }) {
  const items = cards.map((card) => {
    const way = { W: "▲", R: "▼" }[String(card)[0]] ?? "";
    const item = make("li", `small ${colourOf(card)}`, way + numberOf(card));
    const wrong = card === early ? "early" : late?.includes(card) ? "late" : "";
    if (wrong) {
      item.classList.add(wrong);
      item.append(make("small", "", labels[wrong]));
    }
    return item;
  });
  ul.classList.toggle("many", cards.length > MANY);
  ul.replaceChildren(...(items.length ? items : [make("li", "nothing", none)]));
}

function signs(place, lit, dark, count, most) {
  place.replaceChildren(...Array.from({ length: most }, (_, i) => make("i", i < count ? "lit" : "", i < count ? lit : dark)));
}

// What the story tells since the last picture; of one that is opened only the newest.
function news(story) {
  const before = told;
  told = story;
  if (before === null) return story.slice(-1);
  const goesOn = before.every((line, i) => line === story[i]);
  return goesOn ? story.slice(before.length) : story;
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
