// The socket to the box: hands messages and pictures on, and keeps the secret of this start.

import { keepOpen } from "./live.js";

const KEPT = "mind-box secret";
const SECRET = /^[\w-]{16,}$/;
const listeners = new Map();
let sendText = () => false;

const page = crypto.randomUUID(); // a new link of this page takes the place of its old one, which may not have ended
let secret = fromAddress() || recall();

// The secret is in the address, and stays there whatever else has been written behind the #.
function fromAddress() {
  const hash = location.hash.slice(1);
  return SECRET.test(hash) ? hash : "";
}

function recall() {
  try {
    return sessionStorage.getItem(KEPT) || "";
  } catch {
    return ""; // this browser keeps nothing
  }
}

function putBack() {
  try {
    sessionStorage.setItem(KEPT, secret);
  } catch {
    // the address holds it all the same
  }
  if (location.hash.slice(1) !== secret) history.replaceState(null, "", `#${secret}`);
}

window.addEventListener("hashchange", () => {
  const other = fromAddress();
  if (other && other !== secret && !document.getElementById(other)) location.reload(); // the address of another start
  else if (secret) putBack();
});

export function on(type, act) {
  listeners.set(type, act);
}

function tell(type, message) {
  const act = listeners.get(type);
  if (act) act(message);
}

// What cannot be sent is never sent later: a press that comes late is another press.
export function send(message) {
  if (!sendText(JSON.stringify(message))) tell("refused-press");
}

// What matters only while there is a link.
export function mention(message) {
  sendText(JSON.stringify(message));
}

export function connect() {
  if (!secret) {
    tell("no-secret");
    return;
  }
  putBack();
  const evenings = document.getElementById("evenings");
  evenings.href = `/look/${secret}/evenings`;
  evenings.hidden = false;
  sendText = keepOpen({
    opened: (socket) => {
      socket.send(JSON.stringify({ token: secret, page }));
      tell("open");
    },
    heard: (data) => {
      tell("heard");
      if (typeof data === "string") {
        const message = JSON.parse(data);
        tell(message.type, message);
      } else {
        tell("frame", new Uint8Array(data));
      }
    },
    lost: (code) => {
      tell("closed", code === 4403);
      return code !== 4403;
    },
  });
}
