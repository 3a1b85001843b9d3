// SIGTERM under load: streams end, replies finish, nothing acknowledged is lost, nothing is left.
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { expect, test } from "vitest";
import { auditMessages } from "../helpers/message-audit.ts";
import { startPostingClients } from "../helpers/posting-clients.ts";
import { testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import {
  processesOf,
  startWorker,
  until,
  type WorkerProcess,
  workerHome,
} from "../helpers/worker-process.ts";

const seed = testSeed();

test(`SIGTERM under 8 posts and 20 streams exits 0 in 10 s, loses nothing (seed ${seed})`, async () => {
  const home = workerHome();
  const clients = startPostingClients(8, seed);
  for (let round = 0; round < volume(3, 2); round++) {
    const worker = await startWorker(home);
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(worker)));
    clients.aim(worker);
    await sleep(150);
    const exit = await Promise.race([worker.stop(), sleep(10_000).then(() => "still running after 10 s")]);
    clients.aim(undefined);
    expect(exit).toEqual({ code: 0, signal: null });
    const received = await Promise.all(streams.map((stream) => stream.ended));
    expect(received.every((text) => text.includes('"type":"initial_load"'))).toBe(true);
    // Claimed messages wait again.
    const { faults, processing } = auditMessages(home.database, clients.ledger.queued);
    expect({ faults, processing }).toEqual({ faults: [], processing: 0 });
    expect(processesOf(home)).toEqual([]);
  }
  const last = await startWorker(home);
  clients.aim(last);
  await clients.stop();
  await last.stop();
  expect(clients.ledger.queued.size).toBeGreaterThan(0);
  expect(auditMessages(home.database, clients.ledger.queued).faults).toEqual([]);
});

test("no unfinished request prevents a shutdown; a second signal ends it immediately", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  const unfinished = connect({ host: "127.0.0.1", port: worker.port });
  unfinished.on("error", () => undefined);
  unfinished.write(
    `POST /api/sessions/complete HTTP/1.1\r\nHost: 127.0.0.1:${worker.port}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  );
  await worker.get("/api/health");
  process.kill(worker.pid, "SIGTERM");
  await until(() => refusesConnections(worker.port), 5_000, "the end of accepting");
  process.kill(worker.pid, "SIGTERM");
  expect(await worker.exited).toEqual({ code: 1, signal: null });
  expect(processesOf(home)).toEqual([]);
  const next = await startWorker(home);
  const onSocket = connect(join(home.dataDir, "worker.sock"));
  onSocket.on("error", () => undefined);
  onSocket.write(
    "POST /api/sessions/complete HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
  );
  expect((await next.get("/api/health")).status).toBe(200);
  expect(await next.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(`${home.database}-wal`)).toBe(false);
});

test("SIGTERM while a damaged database is replaced ends the worker cleanly", async () => {
  const home = workerHome();
  const first = await startWorker(home);
  for (let n = 0; n < 40; n++) {
    await first.post("/api/sessions/observations", {
      claudeSessionId: `s-${n}`,
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_response: { stdout: "x".repeat(20_000) },
    });
  }
  await first.stop();
  overwriteMiddle(home.database);
  const worker = await startWorker(home);
  const logFile = join(home.dataDir, "logs", "worker.log");
  const isDamaged = () => readFileSync(logFile, "utf8").includes("database is damaged") || undefined;
  await until(isDamaged, 10_000, "the damage");
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(join(home.dataDir, "worker.json"))).toBe(false);
  const next = await startWorker(home);
  expect((await next.get("/api/health")).status).toBe(200);
  await next.stop();
});

function overwriteMiddle(path: string): void {
  const middle = Math.floor(statSync(path).size / 2 / 4_096) * 4_096;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(8 * 4_096, 0xa5), 0, 8 * 4_096, middle);
  closeSync(file);
}

function refusesConnections(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const attempt = connect({ host: "127.0.0.1", port });
    attempt.once("error", () => resolve(true));
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(undefined);
    });
  });
}

/** An open stream; `ended` resolves with everything it sent. */
async function openStream(worker: WorkerProcess): Promise<{ ended: Promise<string> }> {
  const { statusCode, body } = await request(`http://127.0.0.1:${worker.port}/stream`);
  expect(statusCode).toBe(200);
  return { ended: body.text() };
}
