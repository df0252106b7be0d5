// What every page of the box makes of its document.

export const $ = (id) => document.getElementById(id);

export function make(tag, className = "", textContent = "", attributes = {}) {
  return attribute(Object.assign(document.createElement(tag), { className, textContent }), attributes);
}

export function attribute(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// A card's number, and of the Extreme deck its colour: a class.
export const numberOf = (card) => String(card).replace(/^[WR]/, "");
export const colourOf = (card) => ({ W: "white", R: "red" })[String(card)[0]] || "";

// What happened in this level, the newest in sight.
export function drawStory(lines) {
  const list = $("story");
  if (list.childElementCount === lines.length && list.lastElementChild?.textContent === lines.at(-1)) return;
  list.replaceChildren(...lines.map((line) => make("li", "", line)));
  list.scrollTop = list.scrollHeight;
}

// Says why what is seen is old; nothing: it is not.
export function stale(why) {
  if (why && ($("lost").hidden || why !== $("lost").textContent)) $("lost").textContent = why;
  $("lost").hidden = !why;
  document.body.classList.toggle("stale", Boolean(why));
}
