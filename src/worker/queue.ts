// Queue commands over the store: large selections in short transactions, then the generator is notified.
import type { Clock } from "../core/clock.ts";
import type { QueueRetried, QueueSelection } from "../core/records/queue.ts";
import type { QueuePorts } from "../http/api/queue.ts";
import { redactSecrets } from "../privacy/secrets.ts";
import type { QueueStep } from "../store/sqlite/queue-messages.ts";
import type { Store } from "../store/sqlite/store.ts";

interface QueueDeps {
  store: Pick<Store, "queue" | "commit">;
  clock: Clock;
  queueChanged(): void;
  /** Something of this session became due, or is gone. */
  notify(sessionId: number): void;
  /** Schedules what is due and ends an untimed pause of the provider. */
  retryNow(): Pick<QueueRetried, "resumed" | "waitsUntil">;
}

// Small enough that intake never waits more than a few milliseconds for it.
const movedAtOnce = 500;

export function createQueue({ store, clock, queueChanged, notify, retryNow }: QueueDeps): QueuePorts {
  const { queue, commit } = store;

  /** Moves everything selected; resolves with how many messages that were. */
  async function move(kind: "retry" | "drop", selection: QueueSelection): Promise<number> {
    const sessions = new Set<number>();
    let moved = 0;
    let after: number | null = 0;
    while (after !== null) {
      const request = { selection, now: clock.now(), after, limit: movedAtOnce };
      const step: QueueStep = await commit(() => queue[kind](request));
      for (const session of step.sessions) sessions.add(session);
      moved += step.sessions.length;
      after = step.last;
    }
    for (const session of sessions) notify(session);
    if (moved > 0) queueChanged();
    return moved;
  }

  return {
    page(request) {
      const { items, total } = queue.page(request);
      // Redacted when stored, and again before it is shown.
      const shown = items.map((item) => ({
        ...item,
        last_error: item.last_error === null ? null : redactSecrets(item.last_error),
        ageMs: Math.max(0, clock.now() - item.created_at_epoch),
      }));
      return { items: shown, total };
    },
    async retry(selection) {
      const { free, processing, notFound } = queue.standing(selection.ids ?? []);
      const retried = await move("retry", selection);
      return { retried, waiting: Math.max(0, free - retried), processing, notFound, ...retryNow() };
    },
    async drop(selection) {
      const { processing, notFound } = queue.standing(selection.ids ?? []);
      return { dropped: await move("drop", selection), processing, notFound };
    },
  };
}
