// Settings that a running worker re-reads: which tools, paths and projects are not recorded.
import { type Stats, statSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { unlessMissing } from "../core/error-code.ts";
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

// A stat costs 2 microseconds, 7 without a file; users cannot notice 20 ms.
const lookEveryMs = 20;

/** Re-reads settings.json when the file has changed. A call costs a clock reading, and a stat every 20 ms at most. */
export function createLiveSettings(options: LiveOptions) {
  const path = dataPaths(options.dataDir).settings;
  let seen = fingerprint(path);
  let lookedAt = options.clock.monotonicMs();
  let warned = new Set<string>();
  let current = read();

  function read(): LiveSettings {
    const settings = loadSettings({ dataDir: options.dataDir, env: options.env, readOnly: true });
    const warnings = settings.warnings.filter((sentence) => liveKeys.test(sentence));
    for (const sentence of warnings) if (!warned.has(sentence)) options.warn(sentence);
    warned = new Set(warnings);
    return {
      skipTools: new Set(settings.get("MEM_SKIP_TOOLS")),
      excluded: {
        paths: settings.get("MEM_EXCLUDE_PATHS"),
        projects: new Set(settings.get("MEM_EXCLUDE_PROJECTS")),
      },
    };
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

  function now(): LiveSettings {
    const at = options.clock.monotonicMs();
    if (at - lookedAt >= lookEveryMs) {
      lookedAt = at;
      refresh();
    }
    return current;
  }

  return {
    /** Names of the tools to skip now. */
    skipTools: (): ReadonlySet<string> => now().skipTools,
    /** What is neither recorded nor injected now. */
    excluded: (): LiveSettings["excluded"] => now().excluded,
  };
}

const liveKeys = /^MEM_(?:SKIP_TOOLS|EXCLUDE_PATHS|EXCLUDE_PROJECTS) /;

interface LiveSettings {
  skipTools: ReadonlySet<string>;
  excluded: { paths: readonly string[]; projects: ReadonlySet<string> };
}

function fingerprint(path: string): string {
  const stats: Stats | undefined = failOpenSync("look at settings.json", () =>
    unlessMissing(() => statSync(path)),
  );
  return stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
}
