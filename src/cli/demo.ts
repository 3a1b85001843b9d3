// Runs the demo: a worker in a temporary data directory, and a session replayed through the real hook.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { workerUrl } from "../client/worker-address.ts";
import { createWorkerClient, type WorkerClient } from "../client/worker-client.ts";
import type { Clock } from "../core/clock.ts";
import { failOpen, failOpenSync, MemError } from "../core/errors.ts";
import { packageFile } from "../core/paths.ts";
import type { DemoEvent } from "../core/records/demo-events.ts";
import { hookCommand } from "../hosts/hook-command.ts";
import { launcherIn } from "../hosts/host-places.ts";
import { childEnvironment, type Environment } from "../settings/environment.ts";
import { settingKeys } from "../settings/table.ts";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { type DemoStep, demoQuestion, demoSecrets, loadDemoSession, nextSession } from "./demo-session.ts";
import type { Io } from "./io.ts";
import { renderSearch } from "./search-results.ts";
import { startWorker, stopWorker } from "./worker-process.ts";

interface DemoRequest {
  environment: Environment;
  clock: Clock;
  /** For the output of a command. */
  io: Io;
  /** Pause after each event, so that a person can follow. */
  paceMs: number;
  show(event: DemoEvent): void;
  signal: AbortSignal;
}

/** Replays the session and searches its records. Always removes the worker and the directory. */
export async function runDemo(request: DemoRequest): Promise<void> {
  const { clock, show } = request;
  const began = clock.monotonicMs();
  const dataDir = makeDemoDirectory();
  const environment = demoEnvironment(request.environment, dataDir);
  const client = createWorkerClient({ dataDir });
  try {
    const health = await startWorker({ dataDir, environment, clock });
    show({
      kind: "worker",
      url: workerUrl({ host: "127.0.0.1", port: health.port }),
      tookMs: clock.monotonicMs() - began,
    });
    const demo: Demo = { ...request, environment, client, seen: new Set() };
    const steps = loadDemoSession();
    await replay(demo, steps);
    await ask(demo);
    const { start, prompt, read } = nextSession(steps);
    show({ kind: "injected", moment: "The next session starts with", text: await injectedBy(demo, start) });
    show({
      kind: "injected",
      moment: `With the prompt "${prompt.about}" comes`,
      text: (await injectedBy(demo, prompt)) || "Nothing more: the start has the cause and the fix.",
    });
    show({
      kind: "injected",
      moment: `Before the agent reads ${read.about.replace("Read ", "")} comes`,
      text: await injectedBy(demo, read),
    });
    show({ kind: "privacy", lookedFor: demoSecrets.length, found: secretsOnDisk(dataDir) });
  } finally {
    await client.close();
    await failOpen("stop the demo's worker", () => stopWorker({ dataDir, clock, force: true }));
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
  show({ kind: "end", tookMs: clock.monotonicMs() - began });
}

function makeDemoDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), "mem-demo-"));
  } catch (cause) {
    throw new MemError("data_dir_unusable", {
      message: `Cannot create a directory in ${tmpdir()}.`,
      hint: `Set ${process.platform === "win32" ? "TEMP" : "TMPDIR"} to a writable directory.`,
      cause,
    });
  }
}

interface Demo extends DemoRequest {
  environment: NodeJS.ProcessEnv;
  client: WorkerClient;
  /** Records that were shown, as `o<id>` and `s<id>`. */
  seen: Set<string>;
}

// Without the settings of the user, such as keys and the port of their worker.
function demoEnvironment(environment: Environment, dataDir: string): NodeJS.ProcessEnv {
  const none = Object.fromEntries(settingKeys.map((key) => [key, undefined]));
  return childEnvironment(environment, {
    ...none,
    MEM_DATA_DIR: dataDir,
    MEM_PROVIDER: "local",
    MEM_WORKER_PORT: "0",
  });
}

async function replay(demo: Demo, steps: readonly DemoStep[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const began = demo.clock.monotonicMs();
    await sendStep(demo, step);
    demo.show({
      kind: "hook",
      name: step.name,
      about: step.about,
      tookMs: demo.clock.monotonicMs() - began,
      done: index + 1,
      total: steps.length,
    });
    await delay(demo.paceMs, undefined, { signal: demo.signal });
    await showNew(demo);
  }
  await untilGenerated(demo);
}

async function injectedBy(demo: Demo, step: DemoStep): Promise<string> {
  return injectedText(await sendStep(demo, step));
}

async function sendStep(demo: Demo, { name, payload }: DemoStep): Promise<string> {
  demo.signal.throwIfAborted();
  return runHook({ event: name, payload, environment: demo.environment });
}

const generatedWithinMs = 10_000;
const lookEveryMs = 50;

async function untilGenerated(demo: Demo): Promise<void> {
  const deadline = demo.clock.monotonicMs() + generatedWithinMs;
  for (;;) {
    const { isProcessing } = await demo.client.processingStatus();
    await showNew(demo);
    if (!isProcessing && demo.seen.size > 0) return;
    if (demo.clock.monotonicMs() > deadline) {
      throw new MemError("internal", {
        message: "The worker of the demo wrote no observations within 10 s.",
      });
    }
    await delay(lookEveryMs, undefined, { signal: demo.signal });
  }
}

async function showNew(demo: Demo): Promise<void> {
  const [observations, summaries] = await Promise.all([
    demo.client.observations({ limit: 100 }),
    demo.client.summaries({ limit: 100 }),
  ]);
  for (const { id, obs_type, title } of observations.items.toReversed()) {
    if (firstTime(demo, `o${id}`)) demo.show({ kind: "observation", obs_type, title });
  }
  for (const { id, request, summary_text } of summaries.items.toReversed()) {
    if (firstTime(demo, `s${id}`)) demo.show({ kind: "summary", title: request ?? summary_text });
  }
}

function firstTime(demo: Demo, key: string): boolean {
  const before = demo.seen.size;
  return demo.seen.add(key).size > before;
}

async function ask({ client, clock, io, show }: Demo): Promise<void> {
  const answer = await client.search({ query: demoQuestion, limit: shownHits, together: "true" });
  const lines: string[] = [];
  const printed = { ...io, out: (line: string) => lines.push(line) };
  renderSearch(printed, answer, { nowEpochMs: clock.now(), all: false });
  show({ kind: "question", command: `mem search --limit ${shownHits} ${demoQuestion}`, lines });
}

const shownHits = 3;

function secretsOnDisk(dataDir: string): number {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const contents = files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
  return demoSecrets.filter((secret) => contents.some((content) => content.includes(secret))).length;
}

interface HookRun {
  /** The host's name of the event: `PostToolUse`. */
  event: string;
  payload: JsonObject;
  environment: NodeJS.ProcessEnv;
}

// Ctrl-C does not end it: killing the shell would leave the hook, which writes the removed directory again.
/** Runs the registered hook command of Claude Code in a shell; its output. Throws when it does not exit with 0. */
async function runHook({ event, payload, environment }: HookRun): Promise<string> {
  const launcher = launcherIn(packageFile("hooks"), process.platform);
  const command = hookCommand({ host: "claude-code", event, launcher, dataDir: null });
  const hook = spawn(command, { shell: true, env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(hook, "close");
  // A hook may end without reading its input.
  hook.stdin.on("error", () => undefined);
  hook.stdin.end(JSON.stringify(payload));
  const [printed, [code]] = await Promise.all([text(hook.stdout), ended]);
  if (code !== 0) throw new MemError("internal", { message: `The ${event} hook exited with ${code}.` });
  return printed;
}

/** The context in the output of a hook, or an empty text. */
function injectedText(printed: string): string {
  const answer = failOpenSync("read a hook's answer", (): unknown => JSON.parse(printed));
  const output = isJsonObject(answer) ? answer.hookSpecificOutput : undefined;
  const context = isJsonObject(output) ? output.additionalContext : undefined;
  return typeof context === "string" ? context : "";
}
