// The page of mind-box try: what the box and the table look like now, and what a visitor does with them.

import * as wire from "./wire.js";
import * as screens from "./screens.js";
import * as press from "./press.js";
import * as hands from "./hands.js";
import { back, face, fly, spread } from "./cards.js";
import { $, attribute, drawStory, make, stale } from "./elements.js";
import { buildPanel, drawPanel } from "./panel.js";
import { listen as listenToKeys } from "./keys.js";
import { play } from "./tunes.js";

const NAMES = { person: "Person", perfect: "Perfect", human: "Human-like", hasty: "Hasty", empty: "Nobody" };

let box = null; // what does not change: seats, screens
let state = null; // the room as everyone sees it
let latched = false;

function persons() {
  if (!state || state.watching) return [];
  return state.seats.filter((s) => s.kind === "person" && state.playing.includes(s.seat)).map((s) => s.seat);
}

// -- the box as it is built

function build(message) {
  box = message;
  hands.forget();
  for (const id of ["consoles-far", "consoles-near", "hands-far", "hands-near"]) $(id).replaceChildren();
  seats.clear();
  for (let seat = 1; seat <= box.seats; seat++) {
    seats.set(seat, { console: makeConsole(seat), hand: hands.makeHand(seat), near: null });
  }
  lampRow($("lives"), 5);
  lampRow($("stars"), 3);
  box.screens.forEach(({ name }, index) => {
    const canvas = name.startsWith("seat-screen") ? seats.get(Number(name.split(" ")[1])).console.querySelector("canvas") : tableScreen(name);
    canvas.closest(".glass").hidden = false;
    screens.place(index, canvas);
  });
  buildPanel(box, NAMES);
}

function tableScreen(name) {
  const first = $("screen-table");
  const number = name.split(" ")[1];
  if (!number) return first;
  const glass = first.closest(".glass").cloneNode(true);
  const canvas = glass.querySelector("canvas");
  canvas.id = `screen-table-${number}`;
  canvas.setAttribute("aria-label", `Table screen ${number}`);
  $(canvas.id)?.closest(".glass").remove();
  first.closest(".glass").after(glass);
  return canvas;
}

const seats = new Map();

function makeConsole(seat) {
  const element = make("div", "console", "", { "data-seat": seat });
  element.innerHTML = `
    <div class="glass" hidden><canvas width="128" height="32" role="img" aria-label="Screen of seat ${seat}"></canvas></div>
    <button class="push seat" data-button="${seat}" type="button"><span class="cap" aria-hidden="true">${seat}</span></button>
    <span class="who"></span>`;
  press.push(element.querySelector(".push"), seat);
  return element;
}

function lampRow(row, count) {
  row.replaceChildren(...Array.from({ length: count }, () => make("i", "lamp")));
}

// -- the room as it is now

function draw(message) {
  const before = state;
  state = message;
  document.body.classList.toggle("dark-box", state.power === "off");
  document.body.dataset.phase = state.view?.phase || "none";
  arrange();
  for (const seat of state.seats) drawSeat(seat);
  drawLamps();
  drawCloth(before);
  drawWords();
  drawPanel(state);
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
    insert($(`hands-${side}`), place.hand, seat);
  }
  document.body.dataset.persons = near.length;
  columns("near", near.length);
  columns("far", state.seats.length - near.length);
  if (near.length === 1 && alone !== near[0]) hands.open(near[0], true);
  alone = near.length === 1 ? near[0] : null;
}

// As many columns as fit: on a wide page 4, on a phone 2 for the consoles and 4 for the covered hands.
function columns(side, count) {
  const rows = count > 4 ? 2 : 1;
  for (const id of [`consoles-${side}`, `hands-${side}`]) {
    $(id).style.setProperty("--columns", Math.max(Math.ceil(count / rows), 1));
    $(id).classList.toggle("crowded", Math.ceil(count / rows) > 3);
    $(id).style.setProperty("--few", Math.min(Math.max(count, 1), 2));
    $(id).style.setProperty("--some", Math.min(Math.max(count, 1), 4));
  }
}

let alone = null; // the only person, who need not hide their cards from anybody

function insert(parent, element, seat) {
  const next = [...parent.children].find((x) => Number(x.dataset.seat) > seat);
  parent.insertBefore(element, next || null);
}

function drawSeat(seat) {
  const { console: element, hand } = seats.get(seat.seat);
  hands.update(seat, state.watching);
  const button = element.querySelector(".push");
  const lit = state.lamps.seats[seat.seat - 1];
  const down = state.down.includes(seat.seat);
  button.classList.toggle("lit", lit);
  button.classList.toggle("down", down);
  const says = [lit ? "lamp on" : "lamp off", down ? "down" : ""].filter(Boolean).join(", ");
  button.setAttribute("aria-label", `Button of seat ${seat.seat}, ${says}`);
  element.querySelector(".who").textContent = seat.kind === "person" && !state.watching ? "" : NAMES[seat.kind === "person" ? "human" : seat.kind];
  const empty = seat.kind === "empty";
  element.classList.toggle("empty", empty);
  hand.classList.toggle("empty", empty);
}

function drawLamps() {
  for (const [id, word] of [["lives", "life lamps"], ["stars", "star lamps"]]) {
    const lit = state.lamps[id];
    [...$(id).children].forEach((lamp, i) => lamp.classList.toggle("lit", lit[i]));
    $(id).setAttribute("aria-label", `${lit.filter(Boolean).length} of ${lit.length} ${word} lit`);
  }
  const star = $("star");
  const down = state.down.includes(0);
  star.classList.toggle("down", down);
  star.setAttribute("aria-label", down ? "Star button, down" : "Star button");
  $("reader").classList.toggle("unplugged", state.unplugged.includes("reader"));
}

function drawCloth(before) {
  const view = state.view;
  $("deck-text").textContent = state.to_deal && !state.dealer ? "Deal" : `${state.deck} cards`;
  $("deck").disabled = !(state.to_deal && !state.dealer);
  $("deck").setAttribute("aria-label", $("deck").disabled ? `Deck: ${state.deck} cards` : "Deal");
  if (!view) return;
  const piles = view.piles.map((cards, i) => {
    const name = view.piles.length === 2 ? ["Pile up", "Pile down"][i] : "Pile";
    const pile = heap(cards.slice(-12).map((card) => face(card)), `${name}: ${cards.join(", ") || "empty"}`);
    if (!cards.length && !state.face_down) pile.classList.add("none");
    return pile;
  });
  if (state.face_down) {
    const backs = Array.from({ length: Math.min(state.face_down, 6) }, () => back());
    const check = make("button", "small", "Show next", { type: "button", id: "check" });
    check.hidden = view.check !== "at_end";
    check.addEventListener("click", () => wire.send({ do: "check" }));
    piles.push(heap(backs, `Face down: ${state.face_down}`), check);
  }
  $("pile").replaceChildren(...piles);
  $("pile-name").textContent = `Pile (${view.piles.flat().length + state.face_down})`;
  $("aside").replaceChildren(...view.aside.map((card) => face(card)));
  const aside = view.aside.length ? `Aside: ${view.aside.join(", ")}` : "Nothing is aside";
  attribute($("aside"), { role: "img", "aria-label": aside });
  flights(before);
}

function heap(cards, name) {
  const element = make("div", "heap", "", { role: "img", "aria-label": name });
  spread(element, cards);
  return element;
}

// A virtual player's card goes from its hand to the pile: whose hand has one card fewer is plain to see.
function flights(before) {
  if (!before?.view || before.view.level !== state.view.level) return;
  const laid = state.view.piles.flat().filter((card) => !before.view.piles.flat().includes(card));
  if (laid.length !== 1 && state.face_down !== before.face_down + 1) return;
  for (const seat of state.seats) {
    const was = before.seats.find((s) => s.seat === seat.seat);
    if (was && was.backs === seat.backs + 1 && seat.kind !== "person") {
      const to = $("pile").querySelector(".card:last-of-type") || $("pile");
      const ghost = hands.elementOf(seat.seat);
      if (ghost) fly(ghost.querySelector(".card") || ghost, to);
    }
  }
}

function drawWords() {
  const off = { off: "The box is without power.", starting: "The box is starting …" };
  const broken = "The box has failed and is started again: the terminal of mind-box try says where to look.";
  $("says").textContent = state.broken ? broken : off[state.power] || state.says;
  $("todo").textContent = state.todo;
  drawStory(state.story);
  const someone = persons().length > 0;
  $("all-hands").disabled = !someone || state.power !== "on";
  const down = persons().some((seat) => state.down.includes(seat));
  $("all-hands").setAttribute("aria-pressed", String(down));
  $("all-hands-text").textContent = handsText(down);
  startSoon();
  if (latched && !persons().some(press.isHeld)) latched = false;
  speak();
}

function handsText(down) {
  if (state.view?.phase === "lobby") return down ? "Hold …" : "Start a game";
  return down ? "Lift the hands" : "Hands on the table";
}

// -- what is said aloud

let said = "";

function speak(lines = []) {
  const now = state ? (state.power === "on" ? state.todo : $("says").textContent) : "";
  const words = [...lines, now === said ? "" : now].filter(Boolean);
  said = now;
  if (!words.length) return;
  $("spoken").append(make("p", "", words.join(" ")));
  while ($("spoken").childElementCount > 5) $("spoken").firstChild.remove();
}

// -- hands of all persons at once: held, or with a short press left there

let handsSince = 0;

function allHandsDown() {
  if (latched) return;
  handsSince = performance.now();
  for (const seat of persons()) press.down(seat, `hands ${seat}`);
}

function allHandsUp() {
  if (latched) {
    latched = false;
  } else if (performance.now() - handsSince < 400) {
    latched = true;
    return;
  }
  for (let seat = 1; seat <= 8; seat++) press.up(`hands ${seat}`);
}

// In the lobby one short press does it all: the hands are lifted when everyone has held long enough.
let starting = 0;
let gathered = "";

function startSoon() {
  const view = state.view;
  const here = view?.phase === "lobby" && latched ? view.hands_down.join() : "";
  if (here === gathered) return;
  gathered = here;
  clearTimeout(starting);
  if (!here || view.hands_down.length < Math.max(state.playing.length, 2)) return;
  starting = setTimeout(() => {
    if (latched) allHandsUp();
  }, box.gather * 1000 + 250);
}

function wireHands() {
  const button = $("all-hands");
  let byHand = false;
  button.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    byHand = true;
    button.setPointerCapture(e.pointerId);
    allHandsDown();
  });
  for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => allHandsUp());
  button.addEventListener("click", () => {
    if (!byHand) {
      allHandsDown();
      allHandsUp();
    }
    byHand = false;
  });
  button.addEventListener("contextmenu", (e) => e.preventDefault());
}

// -- beginning

// For the tests, and for whoever looks with the browser's tools: the room as everyone sees it.
window.mindBox = { get state() { return state; } };

press.push($("star"), 0);
$("hold-star").addEventListener("click", () => press.hold(0, 1700));
$("deck").addEventListener("click", () => wire.send({ do: "deal" }));
wireHands();
listenToKeys({ persons, allHandsDown, allHandsUp });
window.addEventListener("blur", () => press.upAll());

function letGo() {
  latched = false;
  press.forgetAll();
}

wire.on("open", letGo);
wire.on("heard", () => stale());
wire.on("closed", (why) => {
  letGo();
  stale(why);
});
wire.on("refused-press", () => {
  letGo();
  stale("No connection to mind-box try: that did nothing. It is looked for …");
});
wire.on("box", build);
wire.on("room", draw);
wire.on("frame", screens.take);
wire.on("hand", hands.take);
wire.on("news", ({ lines }) => speak(lines));
wire.on("tune", ({ notes }) => play(notes));
wire.connect();
