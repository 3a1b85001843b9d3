// Streams that print nothing and have no color, but for what a test gives.
import type { Io } from "../../src/cli/io.ts";
import { paintFor } from "../../src/cli/paint.ts";

export function plainIo(given: Partial<Io>): Io {
  const nothing = () => undefined;
  return {
    ...{ out: nothing, raw: nothing, err: nothing, json: nothing },
    ...{ paint: paintFor(false), errPaint: paintFor(false), color: false },
    ...{ isClosed: false, talksToTerminal: false, isTerminal: false },
    columns: given.isTerminal === true ? 80 : Infinity,
    ...given,
  };
}
