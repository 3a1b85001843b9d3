import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../src/core/is-alive.ts";
import { createOnnxEmbedder } from "../../../src/recall/embed/onnx.ts";
import { eventually } from "../../helpers/eventually.ts";
import { installStandIn, realLibrary } from "../../helpers/model-library.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { tinyDimension, writeTinyModel } from "../../helpers/tiny-model.ts";

const script = fileURLToPath(new URL("../../../dist/embed-process.cjs", import.meta.url));
const { signal } = new AbortController();

type Options = Partial<Parameters<typeof createOnnxEmbedder>[0]>;

function embedderWith(options: Options = {}) {
  const folder = tempDir();
  const embedder = createOnnxEmbedder({
    model: writeTinyModel(join(folder, "tiny")),
    script,
    libraries: [join(folder, "nothing-here"), installStandIn(folder)],
    cacheDir: join(folder, "cache"),
    installIn: "/home/me/.mem",
    ...options,
  });
  onTestFinished(() => embedder.close());
  return embedder;
}

const gone = (pid: number) => eventually(() => expect(isAlive(pid)).toBe(false));

function pidOf(embedder: { pid(): number | undefined }): number {
  const pid = embedder.pid();
  if (pid === undefined) throw new Error("no process runs");
  return pid;
}

// The real library is 470 MB, so it is no dependency: where it is installed, it has to do what its stand-in does.
const libraries: [string, string | undefined][] = [
  ["a stand-in of the library", undefined],
  ...(realLibrary === undefined ? [] : [["the real library", realLibrary] as [string, string]]),
];

describe.each(libraries)("a model in a separate process, with %s", (_what, folder) => {
  const open = () => embedderWith(folder === undefined ? {} : { libraries: [folder] });

  test("a model directory is loaded, and texts of the same words get the same direction", async () => {
    const embedder = open();
    const [cache, both, button] = await embedder.embed(
      ["Cache", "memory cache", "button"],
      "document",
      signal,
    );
    expect(cache).toHaveLength(tinyDimension);
    const dot = (other: Float32Array | undefined) =>
      cache?.reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0) ?? 0;
    expect(dot(cache)).toBeCloseTo(1, 4);
    expect(dot(both)).toBeGreaterThan(dot(button) + 0.3);
  });

  test("a directory without a model is an error that the user has to fix", async () => {
    const model = join(tempDir(), "none");
    const embedder = embedderWith({ model, ...(folder === undefined ? {} : { libraries: [folder] }) });
    await expect(embedder.embed(["a"], "query", signal)).rejects.toMatchObject({
      kind: "setup",
      message: expect.stringContaining(`${model} cannot be loaded`),
      hint: expect.stringContaining("MEM_EMBEDDING_MODEL"),
    });
  });
});

test("without the library names the next step and loads nothing from parent folders", async () => {
  const folder = installStandIn(tempDir());
  const embedder = embedderWith({ libraries: [join(folder, "inside")] });
  await expect(embedder.embed(["a"], "query", signal)).rejects.toMatchObject({
    kind: "setup",
    message: "The library that runs models is not installed.",
    hint: "npm install --prefix /home/me/.mem @huggingface/transformers && mem worker restart",
  });
});

describe("the process", () => {
  test("starts with the first call, renews after a number of calls, ends when idle", async () => {
    const embedder = embedderWith({ callsPerProcess: 2, idleMs: 100 });
    expect(embedder.pid()).toBeUndefined();
    await embedder.embed(["cache"], "query", signal);
    const first = pidOf(embedder);
    await embedder.embed(["cache"], "query", signal);
    expect(embedder.pid()).toBe(first);
    await embedder.embed(["cache"], "query", signal);
    const second = pidOf(embedder);
    expect(second).not.toBe(first);
    await gone(first);
    await gone(second);
    expect(embedder.pid()).toBeUndefined();
  });

  test("calls that it works on are answered before it is renewed", async () => {
    const embedder = embedderWith({ callsPerProcess: 1 });
    const all = await Promise.all(
      ["cache", "memory", "button"].map((text) => embedder.embed([text], "query", signal)),
    );
    expect(all.map(([vector]) => vector?.indexOf(Math.max(...(vector ?? []))))).toEqual([2, 3, 4]);
  });

  test("a crash fails the calls that wait, and the next one has a new process", async () => {
    const embedder = embedderWith();
    await expect(embedder.embed(["crash"], "document", signal)).rejects.toMatchObject({
      kind: "unavailable",
      message: "The process of the model ended (SIGSEGV).",
    });
    await expect(embedder.embed(["cache"], "document", signal)).resolves.toHaveLength(1);
  });

  test("one that hangs is ended, and a call that is cancelled is not waited for", async () => {
    const embedder = embedderWith({ callTimeoutMs: 1_500 });
    await embedder.embed(["cache"], "document", signal);
    const pid = pidOf(embedder);
    const ending = new AbortController();
    const cancelled = expect(embedder.embed(["hang"], "query", ending.signal)).rejects.toMatchObject({
      code: "cancelled",
    });
    ending.abort();
    await cancelled;
    await expect(embedder.embed(["cache"], "query", signal)).rejects.toThrow("no answer within 1.5 s");
    await gone(pid);
  });

  test("a text that the model refuses fails alone", async () => {
    const embedder = embedderWith();
    await expect(embedder.embed(["broken"], "document", signal)).rejects.toMatchObject({ kind: "refused" });
    await expect(embedder.embed(["cache"], "document", signal)).resolves.toHaveLength(1);
  });

  test("it ends when the embedder is closed, and with it the calls", async () => {
    const embedder = embedderWith();
    await embedder.embed(["cache"], "document", signal);
    const pid = pidOf(embedder);
    const waiting = expect(embedder.embed(["hang"], "document", signal)).rejects.toThrow("stopping");
    await embedder.close();
    await waiting;
    await gone(pid);
    await expect(embedder.embed(["cache"], "document", signal)).rejects.toThrow("stopping");
  });

  test("it ends when its parent is killed, also in the middle of a call", async () => {
    const folder = tempDir();
    const model = writeTinyModel(join(folder, "tiny"));
    installStandIn(folder);
    const parentScript = join(folder, "parent.cjs");
    writeFileSync(
      parentScript,
      `const child = require("node:child_process").fork(process.argv[2], { serialization: "advanced" });
       child.send({ load: { model: process.argv[3], libraries: [process.argv[4]], cacheDir: "" } });
       child.on("message", () => { child.send({ call: 1, texts: ["hang"] }); process.send(child.pid); });`,
    );
    const parent = fork(parentScript, [script, model, folder], { stdio: "ignore" });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = await new Promise<number>((resolve) =>
      parent.once("message", (value) => resolve(Number(value))),
    );
    await sleep(50);
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await gone(pid);
  });
});
