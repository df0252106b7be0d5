// What this browser keeps for itself: names of seats, dismissed cards, whether keys work. Never sent anywhere.

const PARTNERS = ["Ada", "Ben", "Cleo", "Dev", "Eva", "Finn", "Gia", "Hugo"];

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`mind-box ${key}`)) ?? otherwise;
  } catch {
    return otherwise; // a browser that keeps nothing, or something else under this name
  }
}

function write(key, value) {
  try {
    localStorage.setItem(`mind-box ${key}`, JSON.stringify(value));
  } catch {
    // it is forgotten with the page, then
  }
}

export const kept = {
  names: read("names", {}),
  dismissed: read("dismissed", []),
  keys: read("keys", true),
  save(key) {
    write(key, this[key]);
  },
};

export function nameOf(seat, kind, alone, t) {
  const own = kept.names[seat];
  if (own) return own;
  if (kind === "person") return alone ? t("you") : t("player", { n: seat });
  return kind === "empty" ? t("seat", { n: seat }) : PARTNERS[seat - 1];
}

export function rename(seat, name) {
  const clean = name.trim().slice(0, 20);
  if (clean) kept.names[seat] = clean;
  else delete kept.names[seat];
  kept.save("names");
}
