// Drives the server of recall-server.mjs: starts it, posts to it on many connections, and asks it over its channel.
import { fork } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";

/** Starts the process; `post` drives it over HTTP, `ask` over its own channel. */
export async function startServerProcess(url, { max = 10 } = {}) {
  const script = fileURLToPath(new URL("recall-server.mjs", import.meta.url));
  const child = fork(script, [JSON.stringify({ url, max })], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const next = () =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error("the server's process ended"));
      child.once("exit", ended);
      child.once("message", (message) => {
        child.off("exit", ended);
        resolve(message);
      });
    });
  const { port, barePort, memoryPort } = await next();
  return {
    port,
    barePort,
    memoryPort,
    ask(message) {
      const told = next();
      child.send(message);
      return told;
    },
    stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      return ended;
    },
  };
}

/** Posts for some seconds, each connection its next when the last is answered; how many a second, and the last body. */
export async function drive({ port, path, connections, seconds, bodyOf, key }) {
  const end = performance.now() + seconds * 1000;
  const start = performance.now();
  const counts = { done: 0, refused: 0, last: "" };
  await Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
  return { perSecond: counts.done / ((performance.now() - start) / 1000), ...counts };

  function client(index) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, noDelay: true });
      let received = Buffer.alloc(0);
      let n = index;
      const send = () => {
        if (performance.now() >= end) return resolve(socket.destroy());
        socket.write(requestOf(n));
        n += connections;
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const body = bodyIn(received);
        if (body === undefined) return;
        if (received.toString("latin1", 9, 12) === "200") counts.done++;
        else counts.refused++;
        counts.last = body;
        received = Buffer.alloc(0);
        send();
      });
    });
  }

  function requestOf(n) {
    const body = bodyOf(n);
    return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key(n)}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }
}

// Undefined until the whole answer is there.
function bodyIn(received) {
  const head = received.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(received.toString("latin1", 0, head))?.[1]);
  return received.length - head - 4 >= length ? received.subarray(head + 4) : undefined;
}
