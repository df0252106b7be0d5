// The first lesson: the box's side says which step is due, here it is shown and read aloud, and may be skipped.

import { $ } from "./elements.js";
import { t } from "./texts.js";
import * as wire from "./wire.js";

for (const act of ["begin", "skip", "end"]) $(`lesson-${act}`).addEventListener("click", () => wire.send({ do: "lesson", act }));

export function drawLesson(state) {
  const { lesson } = state;
  $("lesson-begin").hidden = Boolean(lesson) || state.view?.phase !== "lobby" || Boolean(state.replay);
  const had = $("lesson").contains(document.activeElement);
  const begins = lesson && $("lesson").hidden;
  $("lesson").hidden = !lesson;
  if (lesson) {
    $("lesson-at").textContent = t("lesson_at", { n: lesson.at, of: lesson.of });
    if ($("lesson-text").textContent !== lesson.text) $("lesson-text").textContent = lesson.text;
    $("lesson-skip").hidden = lesson.at === lesson.of;
  }
  if (begins || (had && (!lesson || $("lesson-skip").hidden))) (lesson ? $(begins ? "main" : "lesson-end") : $("main")).focus();
}

// Beside the table where there is room, else above it.
const wide = matchMedia("(min-width: 1101px)");
const place = () => $(wide.matches ? "panel" : "table").prepend($("lesson"));
wide.addEventListener("change", place);
place();
