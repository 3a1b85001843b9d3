// A load of observation posts, run as a separate process: `node load.mjs '{"port","connections","seconds","rate"?}'`.
// Every connection sends its next post when the last one is answered; `rate` paces all of them together, per second.
// Prints how many were acknowledged, on which connection, and the spread of the times.
import { connect } from "node:net";
import { spread } from "./measure.mjs";

const { port, connections, seconds, rate, prefix } = JSON.parse(process.argv[2]);
const gapMs = rate === undefined ? 0 : (connections / rate) * 1000;
const times = [];
const acknowledged = new Array(connections).fill(0);
const start = performance.now();
const end = start + seconds * 1000;

await Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
const elapsed = (performance.now() - start) / 1000;
const sorted = [...times].sort((a, b) => a - b);
const p99 = sorted[Math.floor(sorted.length * 0.99)];
console.log(JSON.stringify({ perSecond: times.length / elapsed, ...spread(times), p99, acknowledged }));
process.exit(0);

// Resolves at the end of the time, or when the server is gone: what was acknowledged until then still counts.
function client(index) {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    let received = "";
    let sentAt = 0;
    let n = 0;
    const send = () => {
      if (performance.now() >= end) return resolve(socket.destroy());
      sentAt = performance.now();
      socket.write(request(index, n++));
    };
    socket.on("connect", () => (gapMs === 0 ? send() : setTimeout(send, (gapMs * index) / connections)));
    socket.on("error", () => undefined);
    socket.on("close", resolve);
    socket.on("data", (chunk) => {
      received += chunk;
      const body = bodyOf(received);
      if (body === undefined) return;
      if (!received.startsWith("HTTP/1.1 200") || !body.includes('"queued"')) throw new Error(received);
      received = "";
      acknowledged[index]++;
      times.push(performance.now() - sentAt);
      if (gapMs === 0) send();
      else setTimeout(send, Math.max(0, sentAt + gapMs - performance.now()));
    });
  });
}

// Undefined until the whole answer is there.
function bodyOf(text) {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1]);
  const body = text.slice(head + 4);
  return body.length >= length ? body : undefined;
}

function request(index, n) {
  const line = `the parser keeps its retry state in session ${index} and commits batch ${n} to the queue index; `;
  const file = `/home/user/app/src/module-${n % 50}.ts`;
  const body = JSON.stringify({
    claudeSessionId: `${prefix}-${index >> 2}`,
    tool_use_id: `${prefix}-${index}-${n}`,
    tool_name: "Edit",
    tool_input: { file_path: file, old_string: line, new_string: `${line}once` },
    tool_response: { filePath: file, content: line.repeat(6) },
    cwd: "/home/user/app",
  });
  const head = `POST /api/sessions/observations HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
