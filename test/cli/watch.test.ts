// `mem watch` off a terminal: a line for each event, until it is interrupted or its reader goes away.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createWorkerClient, type Stats } from "../../src/client/worker-client.ts";
import { until } from "../helpers/worker-process.ts";
import { sharedMem } from "./mem.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
const mem = sharedMem();
const worker = createWorkerClient({ dataDir: mem.home.dataDir });

beforeAll(async () => {
  await mem("worker", "start");
  await mem("remember", "--project", "shop", "Never log a session token");
  await worker.postSession("init", { claudeSessionId: "s1", project: "shop", prompt: "Repair the login" });
  return () => worker.close();
});

async function streams(are: (worker: Stats["worker"]) => boolean): Promise<void> {
  await until(async () => are((await worker.stats()).worker) || undefined, 20_000, "the streams");
}

async function watching(...words: string[]) {
  const before = (await worker.stats()).worker.sseClients;
  const child = spawn(process.execPath, [bin, "watch", ...words], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    await streams(({ sseClients }) => sseClients <= before);
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  await streams(({ sseClients }) => sseClients > before);
  return {
    child,
    err: () => err,
    /** The output once it has so many lines. */
    lines: (count: number) =>
      until(
        () => (out.split("\n").length > count ? out.trimEnd().split("\n") : undefined),
        10_000,
        "the lines",
      ),
    code: async () => Number((await ended)[0]),
  };
}

test("each event is a line, and Ctrl-C ends it without an error", async () => {
  const watch = await watching();
  await mem("remember", "--project", "shop", "Always run the linter \x1b[2J first");
  const [line = ""] = await watch.lines(1);
  expect(line).toMatch(/^\d\d:\d\d {2}new +\d+ +decision +Always run the linter first {2}\(shop · rule\)$/);
  watch.child.kill("SIGINT");
  expect(await watch.code()).toBe(0);
  expect(watch.err()).toBe("");
});

test("--json is one object per line, of one project, in order", async () => {
  const watch = await watching("--project", "shop", "--json");
  await mem("remember", "--project", "other", "Somewhere else");
  await mem("remember", "--project", "shop", "Keep it simple");
  await worker.setPin(1, true);
  const events = (await watch.lines(2)).map((line) => JSON.parse(line));
  expect(events).toMatchObject([
    { type: "observation_created", observation: { title: "Keep it simple", facts: [] } },
    { type: "observation_changed", observation: { id: 1, pinned: 1 } },
  ]);
});

test("a reader that goes away ends it in silence", async () => {
  const watch = await watching();
  watch.child.stdout.destroy();
  for (const pinned of [false, true, false, true]) await worker.setPin(1, pinned);
  expect(await watch.code()).toBe(0);
  expect(watch.err()).toBe("");
});

test("a project that no record has is an error that names the known ones", async () => {
  const { code, stderr } = await mem("watch", "--project", "shp");
  expect(code).toBe(66);
  expect(stderr).toContain("shop");
});
