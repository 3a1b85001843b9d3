// However a call ends, no process of the host CLI is left.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import type { ModelClient } from "../../../../src/generate/model-client.ts";
import { processStart, reapOrphans } from "../../../../src/generate/providers/subscription/call-record.ts";
import {
  callRecords,
  createSubscriptionClient,
  type SubscriptionOptions,
} from "../../../../src/generate/providers/subscription/client.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { type HostCliHome, hostCli, hostCliHome, isRunning, playing } from "../../../helpers/host-cli.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";
import { volume } from "../../../helpers/volume.ts";

const graceMs = 200;
const never = new AbortController().signal;

function clientIn(home: HostCliHome, changes: Partial<SubscriptionOptions> = {}): ModelClient {
  const { directory, environment } = home;
  const given = { command: hostCli, model: "claude-haiku-4-5", clock: systemClock, graceMs, ...changes };
  const client = createSubscriptionClient({ ...given, environment, directory });
  onTestFinished(() => client.close());
  return client;
}

// What was killed a moment ago may still be on its way out.
async function nothingIsLeft(home: HostCliHome): Promise<void> {
  await eventually(() => {
    const started = home.runs().flatMap(({ pid, grandchild }) => [pid, grandchild ?? pid]);
    expect(started.filter(isRunning)).toEqual([]);
    expect(home.processes()).toEqual([]);
    expect(readdirSync(callRecords(home.directory))).toEqual([]);
  });
}

describe("a call", () => {
  test.each(["hang", "deaf"])(
    "that meets its deadline (%s) is a timeout, and all of it is gone",
    async (play) => {
      const home = hostCliHome();
      const client = clientIn(home, { deadlineMs: 4_000 });
      await expect(client.complete(playing(play), never)).rejects.toMatchObject({ kind: "timeout" });
      expect(home.runs().map((run) => run.play)).toEqual([play]);
      await nothingIsLeft(home);
    },
  );

  test("that is aborted takes a grandchild with it that does not listen to SIGTERM", async () => {
    const home = hostCliHome();
    const aborting = new AbortController();
    const call = clientIn(home).complete(playing("deaf"), aborting.signal);
    const { grandchild = 0 } = await home.run((run) => run.grandchild !== undefined);
    expect(isRunning(grandchild)).toBe(true);
    aborting.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    expect(isRunning(grandchild)).toBe(false);
    await nothingIsLeft(home);
  });

  test("that is answered ends what the CLI left behind, without waiting for it", async () => {
    const home = hostCliHome();
    const answer = await clientIn(home).complete(playing("litter"), never);
    expect(answer.stopped).toBe("end");
    const { grandchild = 0 } = await home.run((run) => run.grandchild !== undefined);
    expect(grandchild).toBeGreaterThan(0);
    await nothingIsLeft(home);
  });
});

describe("several calls", () => {
  test("are ended by close(), which takes nothing more", async () => {
    const home = hostCliHome();
    const client = clientIn(home);
    const calls = ["deaf", "hang", "hang"].map((play) => client.complete(playing(play), never));
    const ends = Promise.allSettled(calls);
    await home.run((run) => run.grandchild !== undefined);
    await client.close();
    await nothingIsLeft(home);
    const reasons = (await ends).map((end) => (end.status === "rejected" ? end.reason.code : end.status));
    expect(reasons).toEqual(["cancelled", "cancelled", "cancelled"]);
    await expect(client.complete(playing("plain"), never)).rejects.toMatchObject({ code: "cancelled" });
  });

  test("leave nothing behind, half of them aborted", async () => {
    const home = hostCliHome();
    const client = clientIn(home);
    const half = volume(25, 3);
    const ends = await Promise.all(
      Array.from({ length: 2 * half }, async (_, index) => {
        const aborting = new AbortController();
        const call = client.complete(playing(index % 2 === 0 ? "plain" : "hang"), aborting.signal);
        // Some before they begin, some immediately, some in the middle.
        if (index % 2 === 1) setTimeout(() => aborting.abort(), (index * 37) % 900);
        return call.then(
          (answer) => answer.stopped,
          (error) => error.code,
        );
      }),
    );
    expect(ends.filter((end) => end === "end")).toHaveLength(half);
    expect(ends.filter((end) => end === "cancelled")).toHaveLength(half);
    await nothingIsLeft(home);
  });
});

describe("after the worker was killed", () => {
  test("the record is there before the CLI can act, readable by the user alone", async () => {
    const home = hostCliHome();
    const aborting = new AbortController();
    const call = clientIn(home)
      .complete(playing("hang"), aborting.signal)
      .catch(() => undefined);
    const { pid } = await home.run();
    const [file = ""] = readdirSync(callRecords(home.directory));
    const path = join(callRecords(home.directory), file);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ pid, started: processStart(pid) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    aborting.abort();
    await call;
  });

  test("what it left is ended at the next start, grandchildren too", async () => {
    const home = hostCliHome();
    const worker = spawn(process.execPath, [asker, await bundledClient(), hostCli, home.directory, "deaf"], {
      env: home.environment,
      stdio: ["ignore", "ignore", "inherit"],
    });
    onTestFinished(() => void worker.kill("SIGKILL"));
    const { pid, grandchild = 0 } = await home.run((run) => run.grandchild !== undefined);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    expect([pid, grandchild].map(isRunning)).toEqual([true, true]);
    expect(await reapOrphans(callRecords(home.directory), graceMs)).toBe(1);
    await nothingIsLeft(home);
  });

  test("a stranger with the same number is not touched", async () => {
    const home = hostCliHome();
    const stranger = sleeper();
    const records = callRecords(home.directory);
    mkdirSync(records, { recursive: true });
    const started = processStart(stranger);
    writeFileSync(join(records, "a.json"), JSON.stringify({ pid: stranger, started: `${started}1` }));
    expect(await reapOrphans(records, graceMs)).toBe(0);
    expect(isRunning(stranger)).toBe(true);
    expect(readdirSync(records)).toEqual([]);
  });

  test.each(['{"pid":1,"started":"x"}', '{"pid":-1}', '{"pid":0,"started":""}', "garbage", "[]", ""])(
    "the record %s ends nothing and goes",
    async (text) => {
      const records = callRecords(hostCliHome().directory);
      mkdirSync(records, { recursive: true });
      writeFileSync(join(records, "a.json"), text);
      expect(await reapOrphans(records, graceMs)).toBe(0);
      expect(readdirSync(records)).toEqual([]);
    },
  );

  test("there is nothing to do where no call was ever made", async () => {
    expect(await reapOrphans(callRecords(hostCliHome().directory), graceMs)).toBe(0);
  });
});

test("a process has one start, another one has another, and none has none", () => {
  const pid = sleeper();
  expect(processStart(pid)).toBe(processStart(pid));
  expect(processStart(pid)).not.toBe(processStart(process.pid));
  const ended = spawnSync(process.execPath, ["-e", ""]).pid;
  expect(processStart(ended)).toBeNull();
});

const source = "../../../../src/generate/providers/subscription/client.ts";
const clientSource = fileURLToPath(new URL(source, import.meta.url));
const asker = fileURLToPath(new URL("../../../fixtures/host-cli/asker.mjs", import.meta.url));

async function bundledClient(): Promise<string> {
  const outfile = join(tempDir(), "client.mjs");
  await build({ entryPoints: [clientSource], outfile, bundle: true, platform: "node", format: "esm" });
  return outfile;
}

function sleeper(): number {
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], {
    detached: true,
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}
