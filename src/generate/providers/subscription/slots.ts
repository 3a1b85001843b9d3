// A fixed number of slots with a waiting line; a signal leaves the line.

export interface Slots {
  /** Resolves with the release of the slot. Rejects with the reason of `signal`. */
  take(signal: AbortSignal): Promise<() => void>;
}

/** First come, first served. */
export function createSlots(size: number): Slots {
  let free = size;
  const line: (() => void)[] = [];

  function give(): void {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await turn(line, signal);
      return give;
    },
  };
}

function turn(line: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      line.splice(line.indexOf(enter), 1);
      reject(signal.reason);
    };
    line.push(enter);
    signal.addEventListener("abort", leave, { once: true });
  });
}
