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
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";

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

// Its cluster is created once.
const shared = sharedTempDir();

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a server restarts a joined PostgreSQL when its owner ends with %s",
  async (signal) => {
    const dataDir = shared;
    const owner = start(dataDir);
    const first = await posted(await answering(owner), `before-${signal}`);
    const borrower = start(dataDir);
    const url = await answering(borrower);
    await saying(borrower, /(already runs)/);
    owner.child.kill(signal);
    await owner.exited;
    await posted(url, `after-${signal}`);
    expect(await posted(url, `before-${signal}`)).toBe(first);
    const third = start(dataDir);
    await answering(third);
    await saying(third, /(already runs)/);
    for (const { child, exited } of [third, borrower]) {
      child.kill("SIGTERM");
      await exited;
      expect(child.exitCode).toBe(0);
    }
    expect(existsSync(join(dataDir, "postgres", "cluster", "postmaster.pid"))).toBe(false);
    expect(borrower.log()).not.toMatch(/"stack"|\n\s+at /);
  },
);

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s to the process and then its group ends it cleanly, without a warning",
  async (signal) => {
    const dataDir = shared;
    const server = start(dataDir);
    const url = await answering(server);
    const posts = Array.from({ length: 8 }, (_, n) => posted(url, `${signal}-${n}`));
    await Promise.all(posts);
    server.child.kill(signal);
    process.kill(-(server.child.pid ?? 0), signal);
    await server.exited;
    expect(server.child.exitCode).toBe(0);
    expect(server.log()).not.toMatch(/"level":[456]0|\n\s+at /);
    expect(existsSync(join(dataDir, "postgres", "cluster", "postmaster.pid"))).toBe(false);
  },
);

test("starts after a first start that was killed at any moment", async () => {
  const dataDir = tempDir();
  for (const afterMs of [300, 700, 1_200, 1_800]) {
    const { child, exited } = start(dataDir);
    await delay(afterMs);
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
