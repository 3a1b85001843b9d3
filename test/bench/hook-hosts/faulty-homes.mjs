// What a hook may find where the worker should be: homes with every host registered, each with one fault. No hook can start
// a worker there for good: it would end the fault.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { benchHome } from "../worker.mjs";
import { commandHosts, installHosts, launcherFolder } from "./registered.mjs";

// An answer that would block the prompt and stop the agent, from something that is not our worker.
const blocking = JSON.stringify({ decision: "block", reason: "no", continue: false, permission: "deny" });
const head = (length) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

/** What a listener does with a connection, once it has its request. */
const answers = {
  hung: () => undefined,
  "answers 500": (socket) => socket.end(`HTTP/1.1 500 X\r\ncontent-length: 2\r\n\r\n{}`),
  // Closing with bytes unread resets a connection, over a unix socket too.
  resets: (socket) => socket.destroy(),
  drips(socket) {
    socket.write(head(1_000));
    const drops = setInterval(() => socket.write(" "), 100);
    socket.once("close", () => clearInterval(drops));
  },
  "half an answer": (socket) => socket.end(`${head(1_000)}{"hookSpecificOutput":{"additional`),
  garbage: (socket) => socket.end(`\0\0\0${blocking}\r\n\r\n${blocking}`),
  blocking: (socket) => socket.end(head(blocking.length) + blocking),
};

/** The faults: what is done to a home with everything in place. `waits`: hooks run into their deadline. */
export const faults = {
  "worker absent": { make: killed },
  hung: { make: listening("hung"), waits: true },
  "answers 500": { make: listening("answers 500") },
  resets: { make: listening("resets") },
  drips: { make: listening("drips"), waits: true },
  "half an answer": { make: listening("half an answer") },
  garbage: { make: listening("garbage") },
  "stranger on the port": { make: stranger },
  "data directory exposed": { make: exposed },
  "data directory unwritable": { make: unwritable },
  "hook-runtime gone": {
    make(home) {
      killed(home);
      rmSync(join(home.dataDir, "hook-runtime"));
    },
  },
  "launcher gone": {
    make(home) {
      killed(home);
      rmSync(launcherFolder(home), { recursive: true });
    },
  },
};

/** A home with the fault, and `end()`, which stops and removes what it has. */
export async function faultyHome(fault) {
  const home = benchHome();
  installHosts(home, [...commandHosts, "opencode", "openclaw"]);
  const server = await faults[fault].make(home);
  const env = { ...home.env, MEM_WORKER_HOST: "192.0.2.1" };
  const end = async () => {
    server?.closeAll();
    // A folder without rights for its owner cannot be emptied.
    chmodSync(home.dataDir, 0o700);
    home.remove();
  };
  return { ...home, env, fault, end, requests: () => server?.requests ?? 0 };
}

// What a killed worker leaves: a worker.json and a socket that refuses.
function killed(home) {
  announce(home, { pid: 2 ** 22 - 1, port: 1 });
  const listen = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", listen, join(home.dataDir, "worker.sock")]);
}

function listening(name) {
  return async (home) => {
    const path = join(home.dataDir, "worker.sock");
    const server = await listen({ path }, answers[name]);
    chmodSync(path, 0o600);
    announce(home, { pid: process.pid, port: 1 });
    return server;
  };
}

// The worker has ended, and another program has its port.
async function stranger(home) {
  const server = await listen({ host: "127.0.0.1", port: 0 }, answers.blocking);
  announce(home, { pid: 2 ** 22 - 1, port: server.port });
  return server;
}

// Another user may have put the socket there.
async function exposed(home) {
  const path = join(home.dataDir, "worker.sock");
  const server = await listen({ path }, answers.blocking);
  chmodSync(path, 0o777);
  chmodSync(home.dataDir, 0o777);
  return server;
}

// Modes mean nothing to root: files stand where folders should be.
function unwritable(home) {
  killed(home);
  for (const name of ["spool", "logs"]) {
    rmSync(join(home.dataDir, name), { recursive: true, force: true });
    writeFileSync(join(home.dataDir, name), "");
  }
  mkdirSync(join(home.dataDir, "worker-hung"));
  chmodSync(home.dataDir, 0o500);
}

function announce({ dataDir }, { pid, port }) {
  const file = { pid, host: "127.0.0.1", port, version: "0.1.0", secret: "secret", socket: "" };
  writeFileSync(join(dataDir, "worker.json"), JSON.stringify(file), { mode: 0o600 });
}

async function listen(where, answer) {
  const open = new Set();
  const state = { requests: 0, port: 0, closeAll };
  const server = createServer({ pauseOnConnect: answer === answers.resets }, (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => undefined);
    if (answer === answers.resets) return setTimeout(answer, 10, socket);
    let received = "";
    return socket.on("data", (chunk) => {
      if (received === null) return;
      received += chunk.toString("latin1");
      const end = received.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (end < 0 || received.length < end + 4 + length) return;
      received = null;
      state.requests += 1;
      answer(socket);
    });
  });
  await new Promise((resolve) => server.listen(where, resolve));
  state.port = server.address().port ?? 0;
  return state;

  function closeAll() {
    for (const socket of open) socket.destroy();
    server.close();
  }
}
