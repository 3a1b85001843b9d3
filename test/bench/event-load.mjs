// A load of events, run as a separate process: `node event-load.mjs '{"port","apiKey","connections","seconds",
// "prefix","query"}'`. Every connection sends its next event when the last one is answered; each has a session.
// Prints how many were acknowledged, and the spread of the times.
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { spread } from "./measure.mjs";

/** Sessions that the events of a load belong to. */
export const sessions = 50;

/** The body of the n-th event of a connection. */
export function eventBody(prefix, index, n) {
  const line = `the parser keeps its retry state in session ${index} and commits batch ${n} to the queue index; `;
  const file = `/home/user/app/src/module-${n % 50}.ts`;
  return {
    sourceType: "hook",
    eventType: "tool_use",
    occurredAtEpoch: 1_760_000_000_000 + n,
    contentSessionId: `${prefix}-${index}`,
    platformSource: "claude-code",
    payload: {
      prefix,
      tool_name: "Edit",
      tool_input: { file_path: file, old_string: line, new_string: `${line}once` },
      tool_response: { filePath: file, content: line.repeat(6) },
    },
    metadata: {},
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await load(JSON.parse(process.argv[2]));

async function load({ port, apiKey, connections, seconds, prefix, query }) {
  const times = [];
  const start = performance.now();
  const end = start + seconds * 1_000;
  const request = (index, n) => {
    const body = JSON.stringify(eventBody(prefix, index, n));
    return `POST /v1/events${query} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const client = (index) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, noDelay: true });
      let received = "";
      let sentAt = 0;
      let n = 0;
      const send = () => {
        if (performance.now() >= end) return resolve(socket.destroy());
        sentAt = performance.now();
        socket.write(request(index, n++));
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("close", resolve);
      socket.on("data", (chunk) => {
        received += chunk.latin1Slice();
        if (!isWhole(received)) return;
        if (!received.startsWith("HTTP/1.1 201")) return reject(new Error(received));
        received = "";
        times.push(performance.now() - sentAt);
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
  const elapsed = (performance.now() - start) / 1_000;
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)];
  console.log(
    JSON.stringify({ perSecond: times.length / elapsed, ...spread(times), p99, acknowledged: times.length }),
  );
  process.exit(0);
}

function isWhole(text) {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1]);
  return text.length - head - 4 >= length;
}
