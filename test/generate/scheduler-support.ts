// A scheduler over a real queue and a provider of the test's own, with a clock that the test turns.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { createActiveSessions } from "../../src/generate/active-sessions.ts";
import { type Batching, localBatching } from "../../src/generate/batching.ts";
import { createCircuitBreaker } from "../../src/generate/circuit-breaker.ts";
import type { GenerationBatch, GenerationReply, Provider } from "../../src/generate/provider.ts";
import { createScheduler, type Scheduler } from "../../src/generate/scheduler.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import type { Sqlite } from "../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../src/store/sqlite/store.ts";
import { openMigrated } from "../helpers/memory-store.ts";

/** What a test has in hand; new for each one. */
export interface SchedulerWorld {
  db: Sqlite;
  store: Store;
  now: number;
  scheduler: Scheduler;
  /** Ids of the messages of every call. */
  calls: number[][];
}

export const world = {} as SchedulerWorld;

/** Creates the world before every test of the file, and ends it after. */
export function newSchedulerWorldEach(): void {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "mem-loop-"));
    world.db = openMigrated(join(directory, "mem.db"));
    world.store = createStore(world.db);
    world.now = 1_000;
    world.calls = [];
  });
  afterEach(async () => {
    await world.scheduler.stop();
    world.db.close();
    rmSync(directory, { recursive: true, force: true });
  });
}

export function parts() {
  const clock = { now: () => world.now, monotonicMs: () => world.now };
  return {
    circuit: createCircuitBreaker({ onChange: () => undefined }),
    sessions: createActiveSessions({ clock }),
    batching: { ...localBatching, maxMessages: 3 } as Batching,
    clock,
    concurrency: { calls: 2, slowAfterMs: 60_000, most: 2 },
    timeoutMs: 60_000,
    idle: async () => undefined,
    localWrites: () => false,
    local: null as Provider | null,
    onCompleted: () => undefined,
    onFailure: (_error: string, _messages: number): void => undefined,
  };
}

export function run(generate: Provider["generate"], other: Partial<ReturnType<typeof parts>> = {}): void {
  world.scheduler = createScheduler({
    ...parts(),
    ...other,
    queue: createGenerationQueue(world.store, "instance-1"),
    provider: {
      name: "scripted",
      generate: (batch, signal) => {
        world.calls.push(batch.messages.map((message) => message.id));
        return generate(batch, signal);
      },
    },
  });
  world.scheduler.start();
}

export function addMessages(name: string, count: number): number {
  const session = world.store.sessions.insert({
    claude_session_id: name,
    sdk_session_id: `sdk-${name}`,
    project: "demo",
    host: "api",
    cwd: null,
    now: world.now,
  });
  addMore(session, count, "observation", name);
  return session;
}

export function addMore(
  session: number,
  count: number,
  kind: "observation" | "summarize" = "observation",
  name = "more",
): void {
  for (let n = 0; n < count; n++) {
    const payload = JSON.stringify({ type: kind, tool_name: `${name}-${n}` });
    const event_key = `${name} ${world.now} ${n}`;
    const id = world.store.rawEvents.insert({
      session_id: session,
      kind,
      event_key,
      payload,
      now: world.now,
    });
    world.store.pending.enqueue(id ?? 0, session, world.now);
    world.store.pending.count("accepted", 1);
  }
}

export async function echo(batch: GenerationBatch): Promise<GenerationReply> {
  return {
    observations: batch.messages.map(({ id, message }) => ({
      obs_type: "discovery",
      title: message.tool_name ?? "",
      subtitle: null,
      summary: "",
      narrative: null,
      facts: [],
      concepts: [],
      files_read: [],
      files_modified: [],
      provenance: "command",
      sources: [id],
    })),
    summaries: [],
    generator: "scripted",
    usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 0 },
  };
}

export async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !condition(); n++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
}
