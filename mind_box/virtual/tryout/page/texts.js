// The page's words, which come from the box in its language; and whatever of the page is written in them.

let texts = {};
let rules = new Intl.PluralRules("en");
const listeners = [];

// Calls `act` whenever the language has changed.
export function onWords(act) {
  listeners.push(act);
}

export function t(key, values = {}) {
  const text = texts[key];
  if (text === undefined) return "";
  const form = Array.isArray(text) ? text[rules.select(values.n) === "one" ? 0 : 1] : text;
  return fill(form, values);
}

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

export function take({ language, texts: all }) {
  texts = all;
  rules = new Intl.PluralRules(language);
  document.documentElement.lang = language;
  document.title = t("title");
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = t(element.dataset.say);
  for (const element of document.querySelectorAll("[data-name]")) element.setAttribute("aria-label", t(element.dataset.name));
  for (const element of document.querySelectorAll("[data-hint]")) element.title = t(element.dataset.hint);
  for (const act of listeners) act();
}

export const list = (items) => new Intl.ListFormat(document.documentElement.lang, { type: "unit", style: "short" }).format(items.map(String));
