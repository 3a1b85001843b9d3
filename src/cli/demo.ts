// `mem demo` itself: a worker of its own in a throw-away data directory, a session replayed through the real hook.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { workerUrl } from "../client/worker-address.ts";
import { createWorkerClient, type SearchAnswer, type WorkerClient } from "../client/worker-client.ts";
import type { Clock } from "../clock.ts";
import type { DemoAnswer, DemoEvent } from "../domain/demo-events.ts";
import { failOpen, MemError } from "../errors.ts";
import { childEnvironment, type Environment } from "../settings/environment.ts";
import { settingKeys } from "../settings/table.ts";
import { injectedText, runHook } from "./demo-hook.ts";
import {
  type DemoStep,
  demoQuestion,
  demoSecrets,
  loadDemoSession,
  nextSessionStart,
} from "./demo-session.ts";
import { startWorker, stopWorker } from "./worker-process.ts";

interface DemoRequest {
  environment: Environment;
  clock: Clock;
  /** Pause after each event, so that a person can follow. */
  paceMs: number;
  show(event: DemoEvent): void;
  signal: AbortSignal;
}

/** Replays the session and searches what was made of it. Worker and directory are gone when it ends, however it ends. */
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
    const printed = await sendStep(demo, nextSessionStart(steps));
    show({ kind: "injected", characters: injectedText(printed).length });
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
      message: `No directory can be made in ${tmpdir()}, where temporary files lie.`,
      hint: `Set ${process.platform === "win32" ? "TEMP" : "TMPDIR"} to a directory that you can write to.`,
      cause,
    });
  }
}

interface Demo extends DemoRequest {
  environment: NodeJS.ProcessEnv;
  client: WorkerClient;
  /** What was shown already, as `o<id>` and `s<id>`. */
  seen: Set<string>;
}

// None of the user's own settings: not their keys, not their worker's port.
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

async function sendStep(demo: Demo, { name, payload }: DemoStep): Promise<string> {
  return runHook({ event: name, payload, environment: demo.environment, signal: demo.signal });
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
      throw new MemError("internal", { message: "The demo's worker made no observations within 10 s." });
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

// The summary says what came of it, the observations what was done.
async function ask(demo: Demo): Promise<void> {
  const [{ sessions }, { observations }] = await Promise.all([
    demo.client.search({ query: demoQuestion, type: "sessions", format: "full", limit: 1 }),
    demo.client.search({ query: demoQuestion, type: "observations", limit: 3 }),
  ]);
  const answers = [...sessions.map(summaryAnswer), ...observations.map(observationAnswer)];
  demo.show({ kind: "question", words: demoQuestion, answers });
}

function summaryAnswer(found: SearchAnswer["sessions"][number]): DemoAnswer {
  if ("preview" in found) return { tag: "summary", title: found.title, text: found.preview };
  const { request, learned, completed, summary_text } = found;
  return { tag: "summary", title: request ?? summary_text, text: learned ?? completed ?? summary_text };
}

function observationAnswer(found: SearchAnswer["observations"][number]): DemoAnswer {
  return {
    tag: found.obs_type,
    title: found.title,
    text: "preview" in found ? found.preview : found.summary,
  };
}

function secretsOnDisk(dataDir: string): number {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const contents = files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
  return demoSecrets.filter((secret) => contents.some((content) => content.includes(secret))).length;
}
