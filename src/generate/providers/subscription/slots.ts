// A fixed number of places; who finds none waits in line until one is free or its signal aborts.

export interface Slots {
  /** Resolves to what gives the place back. Rejects with the reason of `signal`; then nothing is to be given back. */
  take(signal: AbortSignal): Promise<() => void>;
}

/** A line before `size` places, first come first served. */
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
