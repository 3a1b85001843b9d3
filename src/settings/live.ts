// Settings that a running worker re-reads: only MEM_SKIP_TOOLS.
import { type Stats, statSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";
import { dataPaths } from "../core/paths.ts";
import type { Environment } from "./environment.ts";
import { loadSettings } from "./load.ts";

interface LiveOptions {
  dataDir: string;
  env: Environment;
  clock: Clock;
  /** Reports an invalid value or an unreadable file; the last good value stays. */
  warn(sentence: string): void;
}

// A stat costs about 2 microseconds; users cannot notice 20 ms.
const lookEveryMs = 20;

/** Re-reads settings.json when the file has changed. A call costs a clock reading, and a stat every 20 ms at most. */
export function createLiveSettings(options: LiveOptions) {
  const path = dataPaths(options.dataDir).settings;
  let seen = fingerprint(path);
  let lookedAt = options.clock.monotonicMs();
  let warned = new Set<string>();
  let current = read();

  function read(): ReadonlySet<string> {
    const settings = loadSettings({ dataDir: options.dataDir, env: options.env, readOnly: true });
    const warnings = settings.warnings.filter((sentence) => sentence.startsWith("MEM_SKIP_TOOLS "));
    for (const sentence of warnings) if (!warned.has(sentence)) options.warn(sentence);
    warned = new Set(warnings);
    return new Set(settings.get("MEM_SKIP_TOOLS"));
  }

  function refresh(): void {
    const now = fingerprint(path);
    if (now === seen) return;
    seen = now;
    try {
      current = read();
    } catch (cause) {
      options.warn(
        `${cause instanceof Error ? cause.message : String(cause)} The last settings stay in use.`,
      );
    }
  }

  return {
    /** Names of the tools to skip now. */
    skipTools: (): ReadonlySet<string> => {
      const at = options.clock.monotonicMs();
      if (at - lookedAt >= lookEveryMs) {
        lookedAt = at;
        refresh();
      }
      return current;
    },
  };
}

function fingerprint(path: string): string {
  const stats: Stats | undefined = failOpenSync("look at settings.json", () =>
    statSync(path, { throwIfNoEntry: false }),
  );
  return stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
}
