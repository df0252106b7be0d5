// The socket to the box: reconnects by itself, hands messages and pictures on, and keeps the token in the address.

const listeners = new Map();
let socket = null;
let patience = 250;

const token = location.hash.slice(1);

export function on(type, act) {
  listeners.set(type, act);
}

function tell(type, message) {
  const act = listeners.get(type);
  if (act) act(message);
}

export function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

export function connect() {
  if (!token) {
    tell("closed", "Open this page with the address that mind-box try printed: it ends in a secret of this start.");
    return;
  }
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    patience = 250;
    socket.send(JSON.stringify({ token }));
    tell("open");
  };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") {
      const message = JSON.parse(data);
      tell(message.type, message);
    } else {
      tell("frame", new Uint8Array(data));
    }
  };
  socket.onclose = ({ code }) => {
    if (code === 4403) {
      tell("closed", "This address is from an earlier start: take the one that mind-box try printed last.");
      return;
    }
    tell("closed", "No connection to mind-box try. It is looked for …");
    setTimeout(connect, patience);
    patience = Math.min(patience * 2, 4000);
  };
}
