// Around the box: who plays, the tools, the lab, saving and replaying.

import { ask } from "./ask.js";
import { $, make } from "./elements.js";
import { kept, rename } from "./kept.js";
import { t } from "./texts.js";
import { on, send } from "./wire.js";

const LARGEST = 200000; // bytes that the box takes in one message, with room for quoting

let box = null;
let state = null;
let changed = () => {};
const toggles = new Map(); // device or fault -> its button

// `again` is called when what is kept in this browser has changed.
export function buildPanel(message, again) {
  box = message;
  changed = again;
  $("players").replaceChildren(...Array.from({ length: box.seats }, (_, i) => playerRow(i + 1)));
  $("speed").replaceChildren(...box.speeds.map((s) => new Option(`${s} ×`, s)));
  toggles.clear();
  const plugs = ["reader", ...box.screens.map((s) => s.name)].map((name) =>
    toggle(name, () => send({ do: "plug", device: name, on: state.unplugged.includes(name) })),
  );
  const worn = toggle("worn", () => send({ do: "worn", on: !state.worn }));
  const repeats = toggle("repeats", () => send({ do: "repeats", on: !state.repeats }));
  $("faults").replaceChildren(...plugs, worn, repeats);
}

function deviceName(device) {
  if (device === "reader") return t("device_reader");
  const [kind, n] = device.split(" ");
  if (kind === "table-screen") return t("device_table_screen") + (n ? ` ${n}` : "");
  return t("device_seat_screen", { n });
}

function playerRow(seat) {
  const row = make("p", "line player", "", { "data-seat": seat });
  const name = make("input", "", "", { id: `name-${seat}`, type: "text", maxlength: 20, autocomplete: "off", spellcheck: "false" });
  name.addEventListener("change", () => {
    rename(seat, name.value);
    changed();
    backToTable(name);
  });
  const select = make("select", "", "", { id: `kind-${seat}` });
  choosable(select, () => send({ do: "sit", seat, kind: select.value }));
  row.append(make("b", "badge", String(seat), { "data-seat": seat, "aria-hidden": true }), name, select);
  return row;
}

function toggle(id, act) {
  const button = make("button", "fault", "", { type: "button", id: `fault-${id.replace(" ", "-")}` });
  button.addEventListener("click", act);
  toggles.set(id, button);
  return button;
}

// A choice made by mouse or finger leads back to the table, where the keys are the box's again; one that is made with
// arrow keys does so with Enter.
function choosable(select, act) {
  let byKey = false;
  select.addEventListener("keyup", () => { byKey = false; });
  select.addEventListener("keydown", (e) => {
    byKey = e.key !== "Tab";
    if (e.key === "Enter") backToTable(select);
  });
  select.addEventListener("change", () => {
    act();
    if (!byKey) backToTable(select);
  });
}

function backToTable(from) {
  if (document.activeElement === from || document.activeElement === document.body) $("table").focus({ preventScroll: true });
}

const KINDS = ["person", "steady", "human", "dreamy", "empty"];

// Everything that is words, and how things stand. A button whose text changes is no pressed one, and the other way round.
export function drawPanel(room, nameOf) {
  state = room;
  for (const { seat, kind } of state.seats) {
    const select = $(`kind-${seat}`);
    if (!select) continue;
    const words = KINDS.filter((k) => box.kinds.includes(k)).map((k) => t(k));
    if (select.dataset.words !== words.join()) {
      select.replaceChildren(...KINDS.filter((k) => box.kinds.includes(k)).map((k) => new Option(t(k), k)));
      select.dataset.words = words.join();
    }
    select.setAttribute("aria-label", t("kind_of", { n: seat }));
    if (select.value !== kind) select.value = kind;
    const name = $(`name-${seat}`);
    name.setAttribute("aria-label", t("name_of", { n: seat }));
    name.placeholder = nameOf(seat);
    if (document.activeElement !== name) name.value = kept.names[seat] || "";
  }
  if (document.activeElement !== $("speed")) $("speed").value = String(state.speed);
  $("watch").hidden = state.watching;
  $("dealer").checked = state.dealer;
  $("keys-on").checked = kept.keys;
  const off = state.power === "off";
  $("power").setAttribute("aria-label", t(off ? "give_power" : "cut_power"));
  $("power").title = t(off ? "give_power" : "cut_power");
  $("power").disabled = state.power === "starting";
  const playing = state.view && !["lobby"].includes(state.view.phase) && !state.reaching;
  $("undo").disabled = $("end-game").disabled = !playing || state.power !== "on" || Boolean(state.replay);
  for (const [id, button] of toggles) {
    if (id === "worn" || id === "repeats") {
      button.textContent = t(id === "worn" ? "chatter" : "twice");
      button.setAttribute("aria-pressed", String(state[id]));
    } else {
      button.textContent = t(state.unplugged.includes(id) ? "plug_in" : "unplug", { device: deviceName(id) });
      button.classList.toggle("out", state.unplugged.includes(id));
    }
  }
  drawReplay(state.replay);
}

let replayed = false;

function drawReplay(replay) {
  $("replay-end").hidden = !replay;
  if (!replay) {
    if (replayed) $("replay-state").textContent = "";
    replayed = false;
    return;
  }
  replayed = true;
  const json = JSON.stringify;
  const wrong = replay.failures.map((f) => t("replay_wrong", { line: f.line, expected: json(f.expected), got: json(f.got) }));
  const where = replay.done ? t("replay_done") : t("replay_line", replay);
  const verdict = replay.done && !wrong.length ? t("replay_right") : "";
  $("replay-state").textContent = [where, ...wrong, verdict].filter(Boolean).join(" ");
}

$("watch").addEventListener("click", () => {
  send({ do: "watch", on: true });
  $("main").focus();
});
choosable($("speed"), () => send({ do: "speed", speed: Number($("speed").value) }));
$("dealer").addEventListener("change", () => {
  send({ do: "dealer", on: $("dealer").checked });
  backToTable($("dealer"));
});
$("keys-on").addEventListener("change", () => {
  kept.keys = $("keys-on").checked;
  kept.save("keys");
  backToTable($("keys-on"));
});
$("power").addEventListener("click", () => send({ do: "power", on: state.power === "off" }));
$("undo").addEventListener("click", () => send({ do: "choose", item: "undo" }));
$("end-game").addEventListener("click", () => {
  ask(t("end_game_ask"), t("end_game"), t("ask_no"), () => send({ do: "choose", item: "end-game" }));
});
$("save").addEventListener("click", () => send({ do: "save" }));
$("replay-file").addEventListener("change", async () => {
  const file = $("replay-file").files[0];
  if (file && file.size > LARGEST) $("replay-state").textContent = t("replay_large");
  else if (file) send({ do: "replay", text: await file.text() });
  $("replay-file").value = "";
  backToTable($("replay-file"));
});
$("replay-end").addEventListener("click", () => {
  send({ do: "replay", text: null });
  $("main").focus();
});

on("saving", ({ on: busy }) => {
  $("save").setAttribute("aria-busy", busy);
  if (busy) $("replay-state").textContent = t("saving");
});
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
