// What libraries say on the console becomes lines of the log: theirs are many lines long, with whole objects in them.
import { MemError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { toStorageError } from "../store/postgres/storage-error.ts";

const spoken = ["error", "warn", "trace", "info", "log"] as const;

/** From now on, until `isEnding`: what is left of them then has lost its connections. Returns the way back. */
export function logLibraryWords(log: Pick<Log, "warn">, isEnding: () => boolean): () => void {
  const { console } = globalThis;
  const before = Object.fromEntries(spoken.map((name) => [name, console[name]]));
  const tell = (...words: unknown[]): void => {
    if (isEnding()) return;
    const cause = words.find((word) => word instanceof Error);
    const message = words.filter((word) => typeof word === "string").join(" ");
    log.warn(
      { err: cause === undefined ? new MemError("internal", { message }) : toStorageError(cause) },
      "a library's own words",
    );
  };
  Object.assign(console, Object.fromEntries(spoken.map((name) => [name, tell])));
  return () => Object.assign(console, before);
}
