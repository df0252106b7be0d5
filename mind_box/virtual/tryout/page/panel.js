// Around the box: who plays, what can go wrong, saving and replaying.

import { $, make } from "./elements.js";
import { on, send } from "./wire.js";

const LARGEST = 200000; // bytes that the box takes in one message, with room for quoting

let kinds = [];
let names = {};

export function buildPanel(box, words) {
  kinds = box.kinds;
  names = words;
  $("players").replaceChildren(
    ...Array.from({ length: box.seats }, (_, i) => playerRow(i + 1)),
  );
  $("speed").replaceChildren(...box.speeds.map((s) => new Option(`${s} ×`, s)));
  const devices = ["reader", ...box.screens.map((s) => s.name)];
  $("faults").replaceChildren(
    toggle("power", "Cut the power", "Give power back", (on) => send({ do: "power", on: !on })),
    ...devices.map((name) => toggle(name, `Unplug ${said(name)}`, `Plug in ${said(name)}`, (on) => send({ do: "plug", device: name, on: !on }))),
    toggle("worn", "Buttons chatter", "Buttons chatter", (on) => send({ do: "worn", on })),
    toggle("repeats", "Reader reads twice", "Reader reads twice", (on) => send({ do: "repeats", on })),
  );
}

function said(device) {
  return device.replace("table-screen", "table screen").replace("seat-screen", "screen");
}

function playerRow(seat) {
  const row = make("p", "line");
  const label = make("label", "", `Seat ${seat} `, { "data-seat": seat });
  const select = make("select", "", "", { id: `kind-${seat}` });
  select.append(...kinds.map((kind) => new Option(names[kind], kind)));
  select.addEventListener("change", () => send({ do: "sit", seat, kind: select.value }));
  label.append(select);
  row.append(label);
  return row;
}

function toggle(id, text, textOn, act) {
  const names = { type: "button", id: `fault-${id.replace(" ", "-")}`, "data-text": text, "data-text-on": textOn };
  const button = make("button", "fault", text, names);
  button.addEventListener("click", () => act(button.getAttribute("aria-pressed") !== "true"));
  return button;
}

function set(id, on) {
  const button = $(`fault-${id.replace(" ", "-")}`);
  if (!button) return;
  button.setAttribute("aria-pressed", String(on));
  button.textContent = on ? button.dataset.textOn : button.dataset.text;
}

export function drawPanel(state) {
  for (const { seat, kind } of state.seats) {
    const select = $(`kind-${seat}`);
    if (select && select.value !== kind) select.value = kind;
  }
  if (document.activeElement !== $("speed")) $("speed").value = String(state.speed);
  $("watch").setAttribute("aria-pressed", String(state.watching));
  $("watch").textContent = state.watching ? "Stop watching" : "Watch a game";
  $("dealer").checked = state.dealer;
  set("power", state.power === "off");
  for (const button of $("faults").children) {
    const device = button.id.replace("fault-", "").replace(/screen-(\d)/, "screen $1");
    if (device.includes("screen") || device === "reader") set(device, state.unplugged.includes(device));
  }
  set("worn", state.worn);
  set("repeats", state.repeats);
  drawReplay(state.replay);
}

function drawReplay(replay) {
  $("replay-end").hidden = !replay;
  if (!replay) {
    if (replayed) $("replay-state").textContent = "";
    replayed = false;
    return;
  }
  replayed = true;
  const json = JSON.stringify;
  const wrong = replay.failures.map((f) => `Line ${f.line}: expected ${json(f.expected)}, got ${json(f.got)}.`);
  const where = replay.done ? "Played to its end." : `Line ${replay.line} of ${replay.lines}: ${replay.said}`;
  const verdict = replay.done && !wrong.length ? "Everything was as expected." : "";
  $("replay-state").textContent = [where, ...wrong, verdict].filter(Boolean).join(" ");
}

let replayed = false;

$("watch").addEventListener("click", () => send({ do: "watch", on: $("watch").getAttribute("aria-pressed") !== "true" }));
$("speed").addEventListener("change", () => send({ do: "speed", speed: Number($("speed").value) }));
$("dealer").addEventListener("change", () => send({ do: "dealer", on: $("dealer").checked }));
$("save").addEventListener("click", () => send({ do: "save" }));
$("replay-file").addEventListener("change", async () => {
  const file = $("replay-file").files[0];
  if (file && file.size > LARGEST) $("replay-state").textContent = "That file is too large for a table script.";
  else if (file) send({ do: "replay", text: await file.text() });
  $("replay-file").value = "";
});

$("replay-end").addEventListener("click", () => send({ do: "replay", text: null }));

on("script", ({ name, text, note }) => {
  $("replay-state").textContent = note;
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = make("a", "", "", { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
on("refused", ({ why }) => {
  $("replay-state").textContent = why;
});
