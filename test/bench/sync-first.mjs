// The first sync of a device: a worker with many records pushes them into a real hub, and a second worker reads them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { installDataset } from "./dataset.mjs";
import { sqliteHub } from "./sync-hubs.mjs";
import { ask, benchHome, root } from "./worker.mjs";

const mem = join(root, "bin", "mem.js");
const passphrase = "six words that only benches know";
const pollMs = 100;

/** Milliseconds and peak memory (MiB) of the first push and of the first pull, operations, and their mean bytes. */
export async function firstSync({ rows, form, say }) {
  const hub = await sqliteHub();
  const homes = [benchHome(), benchHome()];
  const [laptop, desk] = homes;
  // Computing vectors of the records would run beside them.
  for (const { env } of homes) env.MEM_EMBEDDER = "off";
  try {
    await installDataset(laptop.dataDir, say, rows);
    const push = await timePush(hub, laptop, { form, rows });
    const pull = await timePull(hub, desk, form);
    const { ops, bytes } = hub.stored();
    say(`${form}: ${ops} operations, ${Math.round(push.ms)} ms to push, ${Math.round(pull.ms)} ms to read`);
    return { push, pull, ops, bytes };
  } finally {
    for (const home of homes) {
      await runMem(home, ["worker", "stop"]);
      home.remove();
    }
    await hub.remove();
  }
}

async function timePush(hub, home, { form, rows }) {
  await setUp(hub, home, form);
  const { port, pid } = workerOf(home);
  // Records from before the setup leave only when asked for.
  await ask(port, "/api/sync/earlier", { method: "POST", body: {} });
  const start = performance.now();
  await ask(port, "/api/sync/projects", { method: "POST", body: { synced: true } });
  let end = start;
  for (let before = -1; ; await sleep(pollMs)) {
    const { ops } = hub.stored();
    if (ops > before) end = performance.now();
    else if (ops >= rows && performance.now() - end > 3_000) break;
    before = ops;
  }
  return { ms: end - start, peak: peakOf(pid) };
}

async function timePull(hub, home, form) {
  const { head } = hub.stored();
  const settingUp = setUp(hub, home, form);
  const { port, pid } = await waitFor(() => workerOf(home));
  const start = performance.now();
  await waitFor(async () => {
    const { status, text } = await ask(port, "/api/sync/status");
    if (status !== 200) return undefined;
    return BigInt(JSON.parse(text).hub?.cursor ?? 0) >= BigInt(head) || undefined;
  });
  const ms = performance.now() - start;
  await settingUp;
  return { ms, peak: peakOf(pid) };
}

async function setUp({ port, account }, home, form) {
  const options = [
    "--stdin",
    "--hub",
    `http://127.0.0.1:${port}`,
    "--user",
    account.id,
    "--projects",
    "none",
  ];
  const plain = form === "plain" ? ["--plain"] : [];
  await runMem(home, ["sync", "setup", ...options, ...plain, "--json"], `${account.token}\n${passphrase}\n`);
}

async function runMem({ env }, args, input = "") {
  const child = spawn(process.execPath, [mem, ...args], { env, stdio: ["pipe", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  child.stdin.end(input);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`mem ${args[0]} ${args[1]} ended with ${code}: ${errors}`);
}

/** Undefined before it has started. */
function workerOf({ dataDir }) {
  try {
    return JSON.parse(readFileSync(join(dataDir, "worker.json"), "utf8"));
  } catch {
    return undefined;
  }
}

async function waitFor(look) {
  for (;;) {
    const found = await Promise.resolve()
      .then(look)
      .catch((cause) => {
        if (cause?.code !== "ECONNREFUSED") throw cause;
      });
    if (found !== undefined) return found;
    await sleep(pollMs);
  }
}

function peakOf(pid) {
  const [, kb] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}
