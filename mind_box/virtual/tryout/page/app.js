// The page of mind-box try: what the box and the table look like now, and what a visitor does with them.

import { unask } from "./ask.js";
import * as hands from "./hands.js";
import { $, attribute, drawStory, make, stale } from "./elements.js";
import "./first.js";
import { drawLesson } from "./lesson.js";
import { listen as listenToKeys } from "./keys.js";
import { nameOf } from "./kept.js";
import { buildPanel, drawPanel } from "./panel.js";
import { drawCloth } from "./pile.js";
import * as press from "./press.js";
import * as screens from "./screens.js";
import { fill, list, onWords, t, take as takeWords } from "./texts.js";
import { play } from "./tunes.js";
import * as wire from "./wire.js";

let box = null; // what does not change: seats, screens
let state = null; // the room as everyone sees it
const seats = new Map();

// -- the box as it is built

function build(message) {
  box = message;
  state = null;
  hands.forget();
  for (const id of ["consoles-far", "consoles-near", "far", "near"]) $(id).replaceChildren();
  seats.clear();
  for (let seat = 1; seat <= box.seats; seat++) {
    seats.set(seat, { console: makeConsole(seat), hand: hands.makeHand(seat), near: null });
  }
  alone = null;
  for (const [id, count, sign] of [["lives", 5, "♥"], ["stars", 3, "★"]]) {
    $(id).replaceChildren(...Array.from({ length: count }, () => make("i", "lamp", sign)));
  }
  box.screens.forEach(({ name }, index) => {
    const canvas = name.startsWith("seat-screen") ? seats.get(Number(name.split(" ")[1])).console.querySelector("canvas") : tableScreen(name);
    canvas.closest(".glass").hidden = false;
    screens.place(index, canvas);
  });
  buildPanel(box, () => state && draw(state));
}

// The table's screen, or one of several: each has a glass of its own.
function tableScreen(name) {
  const first = $("screen-table");
  const number = name.split(" ")[1];
  if (!number) return first;
  const glass = first.closest(".glass").cloneNode(true);
  const canvas = glass.querySelector("canvas");
  canvas.id = `screen-table-${number}`;
  canvas.dataset.number = number;
  $(canvas.id)?.closest(".glass").remove();
  first.closest(".screens").append(glass);
  return canvas;
}

function makeConsole(seat) {
  const element = make("div", "console", "", { "data-seat": seat });
  const glass = make("div", "glass");
  glass.hidden = true;
  glass.append(make("canvas", "", "", { width: 128, height: 32, role: "img" }));
  const button = make("button", "push seat", "", { type: "button", "data-button": seat });
  button.append(make("span", "cap", String(seat), { "aria-hidden": true }));
  element.append(glass, button);
  press.push(button, seat);
  return element;
}

// -- the room as it is now

function draw(message) {
  state = message;
  document.body.classList.toggle("dark-box", state.power === "off");
  document.body.dataset.phase = state.view?.phase || "none";
  arrange();
  for (const seat of state.seats) drawSeat(seat);
  drawLamps();
  drawCloth(state);
  drawWords();
  drawPanel(state, called);
  drawLesson(state);
}

// Persons sit on the near side, virtual players on the far side; nobody's place stays empty on the far side.
function arrange() {
  const near = state.seats.filter((s) => s.kind === "person").map((s) => s.seat);
  for (const [seat, place] of seats) {
    const isNear = near.includes(seat);
    if (place.near === isNear) continue;
    place.near = isNear;
    const side = isNear ? "near" : "far";
    insert($(`consoles-${side}`), place.console, seat);
    insert($(side), place.hand, seat);
  }
  document.body.dataset.persons = near.length;
  columns("near", near.length);
  columns("far", state.seats.length - near.length);
  const only = near.length === 1 ? near[0] : null;
  if (only && alone !== only) hands.open(only, true);
  alone = only;
}

let alone = null; // the only person, who need not hide their cards from anybody

// As many columns as fit: on a wide page 4, on a phone 2.
function columns(side, count) {
  const rows = count > 4 ? 2 : 1;
  const across = Math.max(Math.ceil(count / rows), 1);
  for (const id of [`consoles-${side}`, side]) {
    const place = $(id);
    for (const [name, n] of [["--columns", across], ["--few", Math.min(Math.max(count, 1), 2)]]) place.style.setProperty(name, n);
    place.classList.toggle("crowded", across > 2);
    place.classList.toggle("rows", rows > 1);
  }
}

function insert(parent, element, seat) {
  const next = [...parent.children].find((x) => Number(x.dataset.seat) > seat);
  parent.insertBefore(element, next || null);
}

function called(seat) {
  const kind = state.seats.find((s) => s.seat === seat)?.kind;
  return nameOf(seat, kind, state.seats.filter((s) => s.kind === "person").length === 1, t);
}

function drawSeat(seat) {
  const { console: element } = seats.get(seat.seat);
  const view = state.view;
  const who = called(seat.seat);
  const n = seat.seat;
  const marks = [];
  if (view?.hands_down.includes(n)) marks.push(["✋", t("hand_down")]);
  if (view?.phase === "vote" && view.agreed.includes(n)) marks.push(["★", t("agreed")]);
  const glows = state.putting_aside.includes(n) || (view?.phase === "focus" && !view.ended);
  const asks = view?.phase === "play" && !view.blind;
  hands.update(seat, { who, watching: state.watching, alone: alone === n, glows, asks, marks });
  const button = element.querySelector(".push");
  const lit = state.lamps.seats[n - 1];
  const down = state.down.includes(n);
  button.classList.toggle("lit", lit);
  button.classList.toggle("down", down);
  const says = [t("seat_button", { who, n }), lit ? t("lamp_on") : "", down ? t("down") : ""].filter(Boolean).join(", ");
  attribute(button, { "aria-label": says, title: who });
  element.querySelector("canvas").setAttribute("aria-label", t("seat_screen", { who }));
  element.classList.toggle("empty", seat.kind === "empty");
}

function drawLamps() {
  for (const id of ["lives", "stars"]) {
    const lit = state.lamps[id];
    [...$(id).children].forEach((lamp, i) => lamp.classList.toggle("lit", lit[i]));
    $(id).setAttribute("aria-label", t(`${id}_lit`, { n: lit.filter(Boolean).length, all: lit.length }));
  }
  const star = $("star");
  const down = state.down.includes(0);
  star.classList.toggle("down", down);
  star.setAttribute("aria-label", t(down ? "star_button_down" : "star_button"));
  const out = state.unplugged.includes("reader");
  $("reader").classList.toggle("unplugged", out);
  $("reader").setAttribute("aria-label", t(out ? "card_reader_out" : state.tray ? "card_tray" : "card_reader"));
  $("reader").querySelector(".name").textContent = t(state.tray ? "tray" : "reader");
  for (const canvas of document.querySelectorAll(".screens canvas")) {
    const { number } = canvas.dataset;
    canvas.setAttribute("aria-label", number ? t("table_screen_n", { n: number }) : t("table_screen"));
  }
}

// -- words, and the one button that is always right

function drawWords() {
  const off = { off: t("no_power"), starting: t("starts") };
  $("says").textContent = state.broken ? t("broken") : off[state.power] || where();
  $("todo").textContent = state.power === "on" ? state.todo : "";
  drawStory(state.story);
  const { act, text, why, seats: named } = state.main;
  const main = $("main");
  main.textContent = text;
  main.dataset.act = act;
  attribute(main, { "aria-disabled": String(act === "none") });
  $("why").textContent = fill(why, { seats: list(named.map(called)) });
  if (state.view?.phase !== "play") unaskLate();
  speak();
}

// The level and what is still to be laid; lives and stars have their lamps.
function where() {
  const { view } = state;
  if (!view || ["lobby", "won", "lost"].includes(view.phase)) return state.says;
  const parts = [t("level_of", { n: view.level, last: view.last_level }), t("in_hands", { n: view.remaining })];
  if (view.seats.length > 4) parts.push(t("house_rule"));
  return parts.join(" · ");
}

let asked = "";

// A question that was asked in another phase has become idle.
function unaskLate() {
  const now = `${state.view?.phase} ${state.view?.level}`;
  if (asked && asked !== now) unask();
  asked = now;
}

function doMain() {
  if (state && state.main.act !== "none") wire.send({ do: "main", act: state.main.act });
}

// -- what is said aloud: what is new, and then what to do, each only once

let said = "";
let news = [];

function speak() {
  const now = state.power === "on" ? state.spoken : $("says").textContent;
  const told = news.length && state.view?.reason === "error" ? state.main.text : now; // the error has just been told
  const words = [...news, now === said ? "" : told].filter(Boolean);
  said = now;
  news = [];
  if (!words.length) return;
  $("spoken").append(make("p", "", words.join(" ")));
  while ($("spoken").childElementCount > 5) $("spoken").firstChild.remove();
}

// -- beginning

// For the tests, and for whoever looks with the browser's tools: the room as everyone sees it.
window.mindBox = { get state() { return state; } };

press.push($("star"), 0);
$("hold-star").addEventListener("click", () => press.hold(0, 1700));
$("main").addEventListener("click", doMain);
listenToKeys({ main: () => void doMain(), lay: () => { if (state?.persons.length) hands.lowest(state.persons[0]); } });

for (const link of document.querySelectorAll(".skip")) {
  link.addEventListener("click", (e) => {
    e.preventDefault(); // the address ends in the secret
    document.getElementById(link.hash.slice(1)).focus();
  });
}

// Whoever leaves lets the hands lie: no level begins because a window was left.
window.addEventListener("blur", () => press.rest());
document.addEventListener("visibilitychange", tellWhetherHere);

function tellWhetherHere() {
  const away = document.visibilityState === "hidden";
  if (away) press.forgetAll();
  wire.mention({ do: "away", on: away });
}

wire.on("open", () => press.forgetAll());
wire.on("heard", () => stale());
wire.on("closed", (old) => {
  press.forgetAll();
  stale(t(old ? "old_secret" : "lost") || (old ? "This address is from an earlier start." : "No connection."));
});
wire.on("no-secret", () => stale($("no-secret").textContent));
wire.on("refused-press", () => {
  press.forgetAll();
  stale(t("refused_press"));
});
wire.on("words", takeWords);
wire.on("box", (message) => {
  build(message);
  if (document.visibilityState === "hidden") tellWhetherHere();
});
wire.on("room", draw);
wire.on("frame", screens.take);
wire.on("hand", hands.take);
wire.on("news", ({ lines }) => news.push(...lines));
wire.on("tune", ({ notes }) => play(notes));
onWords(() => state && draw(state));
wire.connect();
