// Whether events can be stored at the moment: feeds health and notices when the disk is full.
import type { Clock } from "../core/clock.ts";
import type { MemError } from "../core/errors.ts";
import { isStorageFailure, storageError } from "../store/sqlite/storage-error.ts";

export interface StorageHealth {
  /** Called with every failed write. */
  failed(cause: unknown): void;
  /** Why writes fail, null while they do not. */
  failure(): MemError | null;
}

// On an almost full disk a small write can succeed after a larger one failed.
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
