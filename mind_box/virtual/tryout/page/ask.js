// One question at a time, beside the table: whoever is asked can go on playing all the same.

import { $ } from "./elements.js";

let yes = null;
let from = null;

export function ask(text, yesText, noText, act) {
  if ($("ask").hidden) from = document.activeElement;
  yes = act;
  $("ask-text").textContent = text;
  $("ask-yes").textContent = yesText;
  $("ask-no").textContent = noText;
  $("ask").hidden = false;
  $("ask-no").focus();
}

// The question has become idle, or is answered.
export function unask() {
  if ($("ask").hidden) return;
  const within = $("ask").contains(document.activeElement);
  yes = null;
  $("ask").hidden = true;
  if (within) (from?.isConnected ? from : $("near")).focus();
}

$("ask-yes").addEventListener("click", () => {
  const act = yes;
  unask();
  if (act) act();
});
$("ask-no").addEventListener("click", unask);
document.addEventListener("keydown", (e) => {
  if (e.key === "Escape") unask();
});
