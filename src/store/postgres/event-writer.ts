// Writes events in groups: events that arrive during a write form the next group, so one commit serves many.
import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { type BatchItem, batchItem, type NewEvent, storeEvents, type Written } from "./event-batch.ts";
import type { Connections } from "./open.ts";

export type EventWriter = ReturnType<typeof createEventWriter>;

/** A final outcome. */
export type Settled = Exclude<Written, { outcome: "busy" }>;

interface WriterOptions {
  app: Connections;
  /** Concurrent groups. */
  groups?: number;
}

// Larger statements gain nothing and delay the next group.
const maxItems = 500;
const maxChars = 4 * 1024 * 1024;

// Bounds memory while the database does not answer.
const maxWaitingChars = 64 * 1024 * 1024;

interface Waiting extends BatchItem {
  resolve(written: Settled): void;
  reject(cause: unknown): void;
}

export function createEventWriter({ app, groups = 2 }: WriterOptions) {
  // Events of a project that is being purged wait on one connection, and do not delay others.
  const patient = createLane(1, (group) => settle(app, group, true, patient.add));
  const quick = createLane(groups, (group) => settle(app, group, false, patient.add));
  let waitingChars = 0;

  return {
    /** Resolves when the event is committed or refused. */
    async write(event: NewEvent): Promise<Settled> {
      const { text } = batchItem(event);
      if (waitingChars + text.length > maxWaitingChars) {
        throw new MemError("storage_busy", {
          message: "Too many events are waiting for the database.",
          hint: "Send the event again in a moment, with the same Idempotency-Key if it has one.",
        });
      }
      waitingChars += text.length;
      return new Promise<Settled>((resolve, reject) => {
        quick.add({ event, text, resolve, reject });
      }).finally(() => {
        waitingChars -= text.length;
      });
    },
    /** Resolves when all writes are settled. */
    async close() {
      await quick.drained();
      await patient.drained();
    },
  };
}

/** Collects items and runs them in groups, `groups` at a time; `run` never throws. */
function createLane(groups: number, run: (group: readonly Waiting[]) => Promise<void>) {
  const waiting: Waiting[] = [];
  const running = new Set<Promise<void>>();
  let scheduled = false;
  let lastSize = 0;

  // A second concurrent group must be as large as the last: small groups would only add commits.
  function isDue(): boolean {
    if (waiting.length === 0 || running.size >= groups) return false;
    return running.size === 0 || waiting.length >= lastSize;
  }

  function schedule(): void {
    if (scheduled || !isDue()) return;
    scheduled = true;
    // After all socket reads of this turn of the event loop.
    setImmediate(() => {
      scheduled = false;
      const group = takeGroup(waiting);
      lastSize = group.length;
      const work = run(group).then(() => {
        running.delete(work);
        schedule();
      });
      running.add(work);
      schedule();
    });
  }

  return {
    add(item: Waiting) {
      waiting.push(item);
      schedule();
    },
    async drained() {
      while (waiting.length > 0 || running.size > 0) {
        await (running.size > 0 ? Promise.race(running) : new Promise((resolve) => setImmediate(resolve)));
      }
    },
  };
}

/** Stores the group and settles its items; items of a busy project go to `later`. */
async function settle(
  app: Connections,
  group: readonly Waiting[],
  patient: boolean,
  later: (item: Waiting) => void,
): Promise<void> {
  let written: Written[];
  try {
    written = await storeEvents(app, group, patient);
  } catch (cause) {
    if (group.length === 1 || !mayBeOneItem(cause)) {
      for (const item of group) item.reject(cause);
      return;
    }
    // One item is bad: bisect to find it.
    const half = group.length >> 1;
    await settle(app, group.slice(0, half), patient, later);
    await settle(app, group.slice(half), patient, later);
    return;
  }
  for (const [index, item] of group.entries()) {
    const outcome = written[index];
    if (outcome === undefined) item.reject(new MemError("internal"));
    else if (outcome.outcome === "busy") later(item);
    else item.resolve(outcome);
  }
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let chars = 0;
  let count = 0;
  for (const { text } of waiting) {
    chars += text.length;
    if (count > 0 && (count >= maxItems || chars > maxChars)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

// A value, a constraint, a deadlock. Not a lost connection or a full disk, where a retry makes things worse.
function mayBeOneItem(cause: unknown): boolean {
  return cause instanceof MemError && /^(?:22|23|40|54)/.test(codeOf(cause.cause));
}
