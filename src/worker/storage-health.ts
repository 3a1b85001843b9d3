// Whether events can be written down at the moment: what health, its notices and the user hear of a full disk.
import type { Clock } from "../core/clock.ts";
import type { MemError } from "../core/errors.ts";
import { isStorageFailure, storageError } from "../store/sqlite/storage-error.ts";

export interface StorageHealth {
  /** Hears of every write that failed. */
  failed(cause: unknown): void;
  /** Why writes fail, null while they do not. */
  failure(): MemError | null;
}

// On a disk that is almost full a small write goes through where the event before it did not.
const shownForMs = 60_000;

/** `lastWrite` is why the last write failed, null when it did not. */
export function createStorageHealth(clock: Clock, lastWrite: () => MemError | null): StorageHealth {
  let last: { error: MemError; at: number } | undefined;

  return {
    failed(cause) {
      const error = storageError(cause);
      if (isStorageFailure(error)) last = { error, at: clock.monotonicMs() };
    },
    failure() {
      const recent = last !== undefined && clock.monotonicMs() - last.at < shownForMs ? last.error : null;
      return lastWrite() ?? recent;
    },
  };
}
