// One worker per data directory, whatever is started at once, killed, or sits on the port.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { spawnWorker, startWorker, until, type WorkerHome, workerHome } from "../helpers/worker-process.ts";

const racers = 20;

test(`of ${racers} workers started at once one owns the directory and the others end with 0`, async () => {
  const home = workerHome();
  const started = Array.from({ length: racers }, () => spawnWorker(home));
  let ended = 0;
  for (const { exited } of started) void exited.then(() => (ended += 1));
  await until(() => (ended >= racers - 1 ? true : undefined), 25_000, "the end of all but one");
  const owner = started.find(({ child }) => child.exitCode === null && child.signalCode === null);
  if (owner === undefined) throw new Error(started.map(({ output }) => output()).join("\n"));
  const others = started.filter((each) => each !== owner);
  expect((await Promise.all(others.map(({ exited }) => exited))).map(({ code }) => code)).toEqual(
    others.map(() => 0),
  );
  expect(others.filter(({ output }) => !output().includes("already running"))).toEqual([]);
  expect(await healthyPid(home)).toBe(owner.child.pid);
});

test("the lock of a killed worker is free for the next one at once", async () => {
  const home = workerHome();
  for (let round = 0; round < 3; round++) {
    const worker = await startWorker(home);
    await worker.kill();
    const next = await startWorker(home);
    expect(await healthyPid(home)).toBe(next.pid);
    await next.stop();
  }
});

test("a stranger on the port is left alone: the next free port is taken and written down", async () => {
  const received: string[] = [];
  const stranger = createServer((socket) => {
    socket.on("data", (chunk) => received.push(String(chunk)));
  });
  const port = await new Promise<number>((resolve) => {
    stranger.listen(0, "127.0.0.1", () => {
      const address = stranger.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  onTestFinished(() => void stranger.close());
  const worker = await startWorker(workerHome({ MEM_WORKER_PORT: String(port) }));
  expect(worker.port).toBeGreaterThan(port);
  const { body } = await worker.get("/api/health");
  expect(body).toMatchObject({ port: worker.port, pid: worker.pid });
  expect(received).toEqual([]);
  await worker.stop();
});

async function healthyPid(home: WorkerHome): Promise<unknown> {
  // The losers may all have ended before the owner has opened its database and listens.
  const path = `${home.dataDir}/worker.json`;
  await until(() => existsSync(path) || undefined, 20_000, "worker.json");
  const file: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (typeof file !== "object" || file === null || !("port" in file))
    throw new TypeError("worker.json has no port");
  const answer = await fetch(`http://127.0.0.1:${file.port}/api/health`);
  const health: unknown = await answer.json();
  return typeof health === "object" && health !== null && "pid" in health ? health.pid : health;
}

test("a worker whose data directory is removed ends by itself and acknowledges into nothing no more", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  // Its start is over when it answers: before that it would say that it cannot start.
  await worker.get("/api/health");
  rmSync(home.dataDir, { recursive: true, force: true });
  expect((await worker.exited).code).toBe(0);
  const next = await startWorker(home);
  expect((await next.get("/api/stats")).body).toMatchObject({ database: { observations: 0 } });
  await next.stop();
});
