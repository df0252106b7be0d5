// The socket to the box: hands messages and pictures on, and keeps the token in the address.

import { keepOpen } from "./live.js";

const listeners = new Map();
let sendText = () => false;

const token = location.hash.slice(1);
const page = crypto.randomUUID(); // a new link of this page takes the place of its old one, which may not have ended

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

export function connect() {
  if (!token) {
    tell("closed", "Open this page with the address that mind-box try printed: it ends in a secret of this start.");
    return;
  }
  sendText = keepOpen({
    opened: (socket) => {
      socket.send(JSON.stringify({ token, page }));
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
      if (code === 4403) {
        tell("closed", "This address is from an earlier start: take the one that mind-box try printed last.");
        return false;
      }
      tell("closed", "No connection to mind-box try: what you see is old. It is looked for …");
    },
  });
}
