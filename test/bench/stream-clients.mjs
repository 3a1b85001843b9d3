// Readers of an event stream, run as a separate process: `node stream-clients.mjs '{"port","clients","events"}'`.
// Prints `open` when all have had their first frame, then the delivery times of every event to every client, in ms.
import { connect } from "node:net";

const { port, clients, events } = JSON.parse(process.argv[2]);
const times = new Float64Array(clients * events);
let received = 0;
let open = 0;

for (let n = 0; n < clients; n++) read();

function read() {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let isOpen = false;
  socket.setEncoding("latin1");
  socket.write(`GET /stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  socket.on("data", (chunk) => {
    const now = performance.timeOrigin + performance.now();
    text += chunk;
    if (!isOpen && text.includes("\n\n")) {
      isOpen = true;
      open += 1;
      if (open === clients) console.log("open");
    }
    const end = text.lastIndexOf("\n\n");
    if (end === -1) return;
    for (const [, at] of text.slice(0, end).matchAll(/"title":"sent ([\d.]+)"/g))
      times[received++] = now - at;
    text = text.slice(end);
    if (received === times.length) finish();
  });
}

function finish() {
  const sorted = times.toSorted();
  const at = (share) => sorted[Math.floor(sorted.length * share)];
  console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99), n: sorted.length }));
  process.exit(0);
}
