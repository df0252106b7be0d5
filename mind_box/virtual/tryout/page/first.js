// The three cards of a first visit, each to be put away; this browser remembers which.

import { $, make } from "./elements.js";
import { kept } from "./kept.js";
import { onWords, t } from "./texts.js";

const CARDS = ["game", "hands", "star"];

function drawFirst() {
  const left = CARDS.filter((card) => !kept.dismissed.includes(card));
  $("first").hidden = !left.length;
  $("first").replaceChildren(...left.map((name) => card(name)));
}

function card(name) {
  const element = make("article", `lesson ${name}`);
  const put = make("button", "small", t("got_it"), { type: "button" });
  const heading = make("h2", "", t(`first_${name}`), { id: `lesson-${name}` });
  put.setAttribute("aria-describedby", heading.id);
  put.addEventListener("click", () => {
    kept.dismissed = [...kept.dismissed, name];
    kept.save("dismissed");
    drawFirst();
    ($("first").querySelector("button") || $("main")).focus();
  });
  element.append(heading, make("p", "", t(`first_${name}_text`)), put);
  return element;
}

$("help").addEventListener("click", () => {
  kept.dismissed = kept.dismissed.length ? [] : CARDS;
  kept.save("dismissed");
  drawFirst();
  if (!$("first").hidden) $("first").querySelector("button").focus();
});

// Beside the table where there is room, else above it.
const wide = matchMedia("(min-width: 1101px)");
const place = () => $(wide.matches ? "panel" : "table").prepend($("first"));
wide.addEventListener("change", place);
place();
onWords(drawFirst);
