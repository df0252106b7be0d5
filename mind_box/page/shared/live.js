// The socket of a page, which knows when its link is dead: one that goes silent (a phone that slept, a network that
// went) ends nothing by itself. The server says something at least every 15 s, if only that it is alive.

const ALIVE = '{"type":"alive"}';
const OPENING = 8000; // milliseconds until a connection that brings nothing is given up
const SILENT = 25000; // until one that brought something is
const ANSWER = 5000; // until the answer to what the page sent must be there
const PATIENT = 8000; // the longest pause before another try
const FULL = 1013;
const ASLEEP = 3000; // whoever comes back after that does not believe the link, which may have died meanwhile

// `opened(socket)`: a new link, nothing heard yet; `heard(data)`: a message; `lost(code)`: no link, the picture is old
// from now on; false: it is not to be looked for again. Returns `send(text)`: false, and nothing is sent, without a link.
export function keepOpen({ opened = () => {}, heard, lost }) {
  let socket = null;
  let alive = false;
  let last = 0;
  let timer = 0;
  let patience = 500;
  let wanted = true;

  function connect() {
    drop();
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    mine.binaryType = "arraybuffer";
    socket = mine;
    expectWithin(OPENING);
    mine.onopen = () => opened(mine);
    mine.onmessage = ({ data }) => {
      alive = true;
      patience = 500;
      expectWithin(SILENT);
      if (data !== ALIVE) heard(data);
    };
    mine.onclose = ({ code }) => {
      drop();
      wanted = lost(code) !== false;
      if (code === FULL) patience = PATIENT; // there is no place for this page now, and it has been told so
      if (wanted) timer = setTimeout(connect, patience);
      patience = Math.min(patience * 2, PATIENT);
    };
  }

  function expectWithin(milliseconds) {
    last = Date.now();
    clearTimeout(timer);
    timer = setTimeout(dead, milliseconds);
  }

  function dead() {
    drop();
    lost();
    connect();
  }

  // Its end may take minutes to be seen, so nobody waits for it, and what it still brings comes too late.
  function drop() {
    clearTimeout(timer);
    alive = false;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    socket = null;
  }

  // Timers stood still while the page slept. A clock that was set back meanwhile proves nothing either.
  function woken() {
    const age = Date.now() - last;
    if (!wanted || document.visibilityState === "hidden" || (age >= 0 && age < ASLEEP)) return;
    if (age < 0 || age > SILENT) lost();
    connect();
  }

  document.addEventListener("visibilitychange", woken);
  document.addEventListener("resume", woken);
  window.addEventListener("pageshow", woken);
  window.addEventListener("online", woken);
  connect();

  return (text) => {
    if (!alive || socket.readyState !== WebSocket.OPEN) return false;
    socket.send(text);
    clearTimeout(timer);
    timer = setTimeout(dead, ANSWER);
    return true;
  };
}
