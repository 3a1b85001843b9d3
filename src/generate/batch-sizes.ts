// Batch size of each session: halved after a timeout, grown again after answers in time.
import { RecentMap } from "../core/recent-map.ts";

export type BatchSizes = ReturnType<typeof createBatchSizes>;

const maxRemembered = 1_000;

// A bad hour of the provider looks like batches that are too large, so larger ones are tried again after this many.
const callsBeforeGrowth = 10;

interface Sizes {
  next: number;
  /** `next` grows up to this: a size that timed out is not retried immediately. */
  ceiling: number;
  /** Answered calls of the ceiling's size. */
  inTime: number;
}

export function createBatchSizes(maxMessages: number) {
  const reduced = new RecentMap<number, Sizes>(maxRemembered);
  return {
    /** Messages of the session's next call at most. */
    of: (sessionId: number) => reduced.get(sessionId)?.next ?? maxMessages,
    /** A probe may have timed out because of the provider, not because of its size. */
    timedOut(sessionId: number, { size, isProbe }: { size: number; isProbe: boolean }) {
      const half = Math.max(1, Math.floor(size / 2));
      const ceiling = reduced.get(sessionId)?.ceiling ?? maxMessages;
      // A single message that times out says nothing about the size of other batches.
      const isTooLarge = size > 1 && !isProbe;
      reduced.set(sessionId, {
        next: half,
        ceiling: isTooLarge ? Math.min(ceiling, half) : ceiling,
        inTime: 0,
      });
    },
    answered(sessionId: number, size: number) {
      const sizes = reduced.get(sessionId);
      if (sizes === undefined) return;
      const inTime = sizes.inTime + (size === sizes.ceiling ? 1 : 0);
      const grows = inTime >= callsBeforeGrowth;
      const ceiling = grows ? sizes.ceiling * 2 : sizes.ceiling;
      const next = Math.max(sizes.next, Math.min(ceiling, size * 2));
      // A batch below the limit ended the backlog; a batch of one may be a retry.
      const isRest = size > 1 && size < sizes.next;
      if (isRest || next >= maxMessages) reduced.delete(sessionId);
      else reduced.set(sessionId, { next, ceiling, inTime: grows ? 0 : inTime });
    },
  };
}
