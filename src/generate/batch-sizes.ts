// How many messages of a session go into its next call: fewer after one that was not answered in time.

export interface BatchSizes {
  /** Messages of the session's next call at most. */
  of(sessionId: number): number;
  /** A call with `size` messages got no answer in time; a probe may have failed for the provider's sake. */
  timedOut(sessionId: number, call: { size: number; isProbe: boolean }): void;
  answered(sessionId: number, size: number): void;
}

// Sessions at most that are remembered; a forgotten one begins with whole batches again.
const maxRemembered = 1_000;

// A bad hour of the provider looks like too many messages: after as many calls in time twice as many are tried.
const callsBeforeMore = 10;

interface Sizes {
  next: number;
  /** As far as `next` grows again: what was too much is not asked for at once. */
  ceiling: number;
  /** Calls of that size that were answered. */
  inTime: number;
}

export function createBatchSizes(maxMessages: number): BatchSizes {
  const smaller = new Map<number, Sizes>();

  function remember(sessionId: number, sizes: Sizes): void {
    smaller.delete(sessionId);
    smaller.set(sessionId, sizes);
    for (const oldest of smaller.keys()) {
      if (smaller.size <= maxRemembered) break;
      smaller.delete(oldest);
    }
  }

  return {
    of: (sessionId) => smaller.get(sessionId)?.next ?? maxMessages,
    timedOut(sessionId, { size, isProbe }) {
      const half = Math.max(1, Math.floor(size / 2));
      const ceiling = smaller.get(sessionId)?.ceiling ?? maxMessages;
      // One message alone is late for its own sake: the others may go together as before.
      const isTooMany = size > 1 && !isProbe;
      remember(sessionId, { next: half, ceiling: isTooMany ? Math.min(ceiling, half) : ceiling, inTime: 0 });
    },
    answered(sessionId, size) {
      const sizes = smaller.get(sessionId);
      if (sizes === undefined) return;
      const inTime = sizes.inTime + (size === sizes.ceiling ? 1 : 0);
      const grows = inTime >= callsBeforeMore;
      const ceiling = grows ? sizes.ceiling * 2 : sizes.ceiling;
      const next = Math.max(sizes.next, Math.min(ceiling, size * 2));
      // Fewer than it might have taken: the backlog is worked off. A retry is alone in any case.
      const isRest = size > 1 && size < sizes.next;
      if (isRest || next >= maxMessages) smaller.delete(sessionId);
      else remember(sessionId, { next, ceiling, inTime: grows ? 0 : inTime });
    },
  };
}
