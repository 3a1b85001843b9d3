// The whole of generation over a scripted model: real queue, loop, gate, writer and client; the clock is turned by hand.
import type { PendingMessage } from "../../src/core/records/messages.ts";
import { createActiveSessions } from "../../src/generate/active-sessions.ts";
import { modelBatching } from "../../src/generate/batching.ts";
import { createCircuitBreaker } from "../../src/generate/circuit-breaker.ts";
import type { ModelClient } from "../../src/generate/model-client.ts";
import { createCompatClient } from "../../src/generate/providers/compat.ts";
import { createPrimaryClient } from "../../src/generate/providers/primary.ts";
import { createSecondaryClient } from "../../src/generate/providers/secondary.ts";
import { type Concurrency, createScheduler, type Scheduler } from "../../src/generate/scheduler.ts";
import { createModelProvider } from "../../src/generate/writer.ts";
import { loadMode } from "../../src/settings/modes/load-mode.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import { createStore } from "../../src/store/sqlite/store.ts";
import { openMigrated } from "../helpers/memory-store.ts";
import { type ScriptedModelOptions, startScriptedModel, type Wire } from "../helpers/scripted-model.ts";

interface RigOptions extends ScriptedModelOptions {
  /** The test's own: tests that run together cannot share one. */
  onTestFinished(end: () => Promise<void>): void;
  wire?: Wire;
  /** Real time that the client gives one call. */
  timeoutMs?: number;
  concurrency?: Concurrency;
}

const key = "sk-rig-key-of-nobody-0000000000";
const minuteMs = 60_000;

export async function createRig({
  wire = "chat",
  timeoutMs = 5_000,
  concurrency,
  onTestFinished,
  ...scripted
}: RigOptions) {
  let now = Date.UTC(2026, 10, 20, 12);
  const clock = { now: () => now, monotonicMs: () => now };
  const model = await startScriptedModel({ now: clock.now, slowMs: 20, overflowChars: 30_000, ...scripted });
  const db = openMigrated();
  const store = createStore(db);
  const client = clientOf(wire, { url: model.url, timeoutMs, clock });
  const provider = createModelProvider({ client, mode: loadMode("code") });
  const schedulers: Scheduler[] = [];
  const faults: string[] = [];
  let sessionCount = 0;

  /** Starts a scheduler over the database as a worker does; the one before is left as a crash would leave it. */
  function startScheduler() {
    const owner = `instance-${schedulers.length + 1}`;
    store.pending.reclaimAll();
    const queue = createGenerationQueue(store, owner);
    const circuit = createCircuitBreaker({ onChange: checkLaw });
    const sessions = createActiveSessions({ clock });
    const scheduler = createScheduler({
      queue,
      provider,
      local: null,
      localWrites: () => false,
      circuit,
      sessions,
      batching: modelBatching,
      clock,
      concurrency: concurrency ?? { calls: 4, slowAfterMs: 50, most: 8 },
      timeoutMs: 20_000,
      idle: async () => undefined,
      onCompleted: checkLaw,
      onFailure: checkLaw,
    });
    schedulers.push(scheduler);
    return { scheduler, circuit, queue, sessions };
  }

  function checkLaw(): void {
    const { accepted, done, skipped, pending, processing, dead } = store.pending.counts();
    if (accepted !== done + skipped + pending + processing + dead)
      faults.push(`the law is broken: ${JSON.stringify(store.pending.counts())}`);
  }
  let running = startScheduler();

  async function settled(): Promise<void> {
    for (let quiet = 0; quiet < 4; ) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      quiet = store.pending.counts().processing === 0 ? quiet + 1 : 0;
    }
  }

  // To when something will happen: the end of a pause, a retry, or the next sweep.
  function turnClock(): void {
    const times = [running.circuit.resumesAt(now), running.queue.nextDue(now)].filter(
      (time): time is number => time !== null && time > now,
    );
    now = Math.max(now + 1_000, Math.min(now + 15 * minuteMs, ...times));
  }

  function add(session: number, event_key: string, message: PendingMessage): void {
    const payload = JSON.stringify(message);
    const id = store.rawEvents.insert({ session_id: session, kind: message.type, event_key, payload, now });
    store.pending.enqueue(id ?? 0, session, now);
    store.pending.count("accepted", 1);
  }
  const rig = {
    db,
    store,
    model,
    faults,
    now: clock.now,
    turnBy(ms: number): void {
      now += ms;
    },
    running: () => running,
    settled,
    /** A session with `count` tool uses; each one's text is `<mark> <n>`. */
    addMessages(count: number, mark = "plain"): number {
      sessionCount += 1;
      const session = store.sessions.insert({
        claude_session_id: `session ${sessionCount}`,
        sdk_session_id: `sdk ${sessionCount}`,
        project: "demo",
        host: "api",
        cwd: "/home/user/app",
        now,
      });
      rig.addTo(session, count, mark);
      return session;
    },
    addTo(session: number, count: number, mark = "plain"): void {
      for (let n = 0; n < count; n++)
        add(session, `${mark} ${now} ${n}`, {
          type: "observation",
          tool_name: "Bash",
          tool_input: { command: `run ${mark} ${n}` },
          tool_response: { stdout: `${mark} ${n} of session ${session} at ${now}`, stderr: "" },
        });
    },
    /** Asks for a summary of the session. */
    addSummary(session: number): void {
      add(session, `summary ${now}`, { type: "summarize", last_assistant_message: "It is done." });
    },
    /** Takes up what is due and turns the clock, until nothing waits, the time is up, or `steps` turns are made. */
    async run({ forMs = Number.POSITIVE_INFINITY, steps = 400 } = {}): Promise<void> {
      const end = now + forMs;
      for (let step = 0; step < steps && now < end; step++) {
        await running.scheduler.scheduleDue();
        await settled();
        checkLaw();
        const { pending, processing } = store.pending.counts();
        if (pending + processing === 0) return;
        turnClock();
      }
    },
    /** The worker dies and comes back; what it had in hand goes on in the old one, unheard. */
    crash(): void {
      running = startScheduler();
    },
    dead: () =>
      db.prepare<[], string>("select last_error from pending_messages where status = 'dead'").pluck().all(),
    /** Messages that are neither waiting nor dead and that no observation was made of. */
    lost: () => db.prepare<[], string>(lostSql).pluck().all(),
    doubled: () => db.prepare<[], string>(doubledSql).pluck().all(),
  };
  onTestFinished(async () => {
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
    await client.close();
    await model.close();
    db.close();
  });
  return rig;
}

function clientOf(
  wire: Wire,
  { url, ...options }: { url: string; timeoutMs: number; clock: { now(): number; monotonicMs(): number } },
): ModelClient {
  switch (wire) {
    case "messages":
      return createPrimaryClient({
        ...options,
        model: "claude-haiku-4-5",
        baseUrl: url,
        apiKey: () => key,
        authToken: () => "",
      });
    case "gemini":
      return createSecondaryClient({ ...options, model: "gemini-2.5-flash", apiKey: () => key, origin: url });
    case "chat":
      return createCompatClient({
        ...options,
        model: "vendor/model",
        baseUrl: url,
        apiKey: () => key,
        siteUrl: "",
        appName: "",
      });
    default:
      return wire satisfies never;
  }
}

const lostSql = `
  select event_key
  from raw_events r
  where not exists (select 1 from pending_messages p where p.id = r.id)
    and not exists (select 1 from observation_sources s where s.raw_event_id = r.id)`;

// The scripted model makes one observation of each call.
const doubledSql = "select raw_event_id from observation_sources group by raw_event_id having count(*) > 1";
