// Two servers on one data directory, as processes: the private PostgreSQL outlives whichever of them started it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { preparePostgresHome } from "../../../src/server/postgres/postgres-home.ts";
import { startPrivatePostgres } from "../../../src/server/postgres/private-postgres.ts";
import { fillCluster } from "../../helpers/postgres.ts";
import { createRandom, testSeed } from "../../helpers/random.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { volume } from "../../helpers/volume.ts";

const bin = fileURLToPath(new URL("../../../bin/mem.js", import.meta.url));

interface Started {
  child: ChildProcess;
  said(): string;
  log(): string;
  exited: Promise<unknown>;
}

function start(dataDir: string): Started {
  const child = spawn(process.execPath, [bin, "server", "--port", "0"], {
    env: { PATH: process.env.PATH, HOME: dataDir, MEM_DATA_DIR: dataDir, MEM_PROVIDER: "local" },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so that a signal reaches all of it.
    detached: true,
  });
  const text = { said: "", log: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.said += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.log += chunk));
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, exited, said: () => text.said, log: () => text.log };
}

const answering = (server: Started) => saying(server, /answers at (http:\S+)/);

/** The part that the pattern names, once the server has said it: its lines may come one by one. */
async function saying(server: Started, pattern: RegExp): Promise<string> {
  for (;;) {
    const part = pattern.exec(server.said())?.[1];
    if (part !== undefined) return part;
    if (server.child.exitCode !== null) throw new Error(server.log());
    await delay(50);
  }
}

async function post(url: string, key: string): Promise<{ status: number; id: string | undefined }> {
  const answer = await request(`${url}/v1/events`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({
      sourceType: "api",
      eventType: "tool_use",
      occurredAtEpoch: 1_700_000_000_000,
      payload: { tool_name: "Bash", tool_input: { command: "ls" } },
    }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, id: answer.statusCode === 201 ? JSON.parse(text).event.id : undefined };
}

async function posted(url: string, key: string): Promise<string | undefined> {
  for (;;) {
    const { status, id } = await post(url, key);
    if (status === 201) return id;
    expect(status).toBe(503);
    await delay(100);
  }
}

function expectCleanEnd({ child, log }: Started): void {
  expect(child.exitCode).toBe(0);
  expect(log()).not.toMatch(/"level":[456]0|\n\s+at /);
}

const shared = sharedTempDir();
fillCluster(shared);

test("a server restarts a joined PostgreSQL when its owner ends, also by SIGKILL", async () => {
  const dataDir = shared;
  let owner = start(dataDir);
  const first = await posted(await answering(owner), "first");
  const borrowers: Started[] = [];
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const borrower = start(dataDir);
    const url = await answering(borrower);
    await saying(borrower, /(already runs)/);
    owner.child.kill(signal);
    if (signal === "SIGTERM") process.kill(-(owner.child.pid ?? 0), signal);
    await owner.exited;
    if (signal === "SIGTERM") expectCleanEnd(owner);
    await posted(url, `after-${signal}`);
    expect(await posted(url, "first")).toBe(first);
    expect(borrower.log()).not.toMatch(/"stack"|\n\s+at /);
    owner = borrower;
    borrowers.push(borrower);
  }
  const third = start(dataDir);
  await answering(third);
  await saying(third, /(already runs)/);
  for (const { child, exited } of [third, owner]) {
    child.kill("SIGTERM");
    await exited;
    expect(child.exitCode).toBe(0);
  }
  expect(existsSync(join(dataDir, "postgres", "cluster", "postmaster.pid"))).toBe(false);
  for (const { log } of borrowers) expect(log()).not.toMatch(/"stack"|\n\s+at /);
});

test.each(["SIGINT", "SIGHUP"] as const)(
  "%s to the process and then its group ends it cleanly, without a warning",
  async (signal) => {
    const dataDir = shared;
    const server = start(dataDir);
    const url = await answering(server);
    const posts = Array.from({ length: 4 }, (_, n) => posted(url, `${signal}-${n}`));
    await Promise.all(posts);
    server.child.kill(signal);
    process.kill(-(server.child.pid ?? 0), signal);
    await server.exited;
    expectCleanEnd(server);
    expect(existsSync(join(dataDir, "postgres", "cluster", "postmaster.pid"))).toBe(false);
  },
);

test("starts after a first start that was killed at any moment", async () => {
  const dataDir = tempDir();
  const random = createRandom(testSeed());
  for (let kills = volume(4); kills > 0; kills -= 1) {
    const { child, exited } = start(dataDir);
    await delay(random.between(200, 1_800));
    child.kill("SIGKILL");
    await exited;
  }
  await answering(start(dataDir));
  expect(readdirSync(join(dataDir, "postgres")).sort()).toEqual(["cluster", "run"]);
});

test("removes an unfinished cluster still written to, and quotes PostgreSQL", async () => {
  const dataDir = tempDir();
  const { cluster } = preparePostgresHome(dataDir);
  const left = join(cluster, "..", "cluster.making-of-a-killed-process");
  mkdirSync(left);
  writeFileSync(join(left, "PG_VERSION"), "17\n");
  // It ends when its directory is gone, or after a second or so.
  const writer = spawn("/bin/sh", ["-c", `n=0; while [ $n -lt 3000 ] && : >base.$n; do n=$((n + 1)); done`], {
    cwd: left,
    stdio: "ignore",
  });
  await expect.poll(() => readdirSync(left).length).toBeGreaterThan(100);
  const postgres = await startPrivatePostgres({ dataDir });
  await postgres.stop();
  expect(existsSync(left)).toBe(false);
  if (writer.exitCode === null) await once(writer, "exit");
  await expect(startPrivatePostgres({ dataDir, settings: ["shared_buffers=nonsense"] })).rejects.toThrow(
    /ended while it started\. It said: FATAL: {2}invalid value for parameter "shared_buffers"/,
  );
  expect(readFileSync(join(cluster, "PG_VERSION"), "utf8")).not.toBe("");
});
