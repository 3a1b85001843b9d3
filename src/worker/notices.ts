// Notices for the user: failing writes, a damaged database, hooks of another version, an open address, a provider that
// refuses access, a stuck queue, an invalid mode or budget.

import { existsSync, readFileSync, statSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { unlessMissing } from "../core/error-code.ts";
import { failOpenSync, type MemError } from "../core/errors.ts";
import { homePath, packageFile } from "../core/paths.ts";
import { pauseNotice, stuckNotice } from "../core/records/generation-pause.ts";
import { version } from "../core/version.ts";
import { loadPrices } from "../generate/prices.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import { loadActiveMode } from "../settings/modes/load-mode.ts";
import { weakTokenNotice } from "../settings/tv-token.ts";
import { damageNotice } from "./open-store.ts";
import { remoteAccess } from "./remote-access.ts";
import type { WorkerStatus } from "./status.ts";

export type Notices = ReturnType<typeof createNotices>;

interface StorageState {
  /** Why writes fail, null while they do not. */
  storageFailure(): MemError | null;
  /** Damaged indexes that were rebuilt. */
  reindexed: readonly string[];
}

export function createNotices(
  settings: LoadedSettings,
  status: Pick<WorkerStatus, "pause" | "isStuck">,
  { storageFailure, reindexed }: StorageState,
) {
  const { paths } = settings;
  const shown = new Set<string>();
  // Read once at start, like the model's instructions.
  const [mode, budgets] = [modeNotice(settings), budgetNotices(settings)];
  const prices = createPriceNotice(paths.prices);

  function standing(): string[] {
    const found = [
      storageNotice(storageFailure()),
      damageNotice(paths.database),
      installNotice(paths.installVersion, version()),
      openAddressNotice(settings),
    ];
    return found.filter((notice) => notice !== null);
  }

  // The token cannot change without a restart.
  const token = tokenNotice(settings);

  // A pause that the user must end explains a stuck queue.
  function ofGeneration(): string[] {
    const halt = pauseNotice(status.pause()) ?? (status.isStuck() ? stuckNotice : null);
    return [halt, ...budgets, mode].filter((notice) => notice !== null);
  }

  // A session also starts at every resume, clear and compaction, where a repeat would be noise.
  function firstOfGeneration(sessionId: string): string | null {
    const [notice = null] = ofGeneration();
    if (notice === null || shown.has(sessionId)) return null;
    const [oldest] = shown;
    if (shown.size >= maxShown && oldest !== undefined) shown.delete(oldest);
    shown.add(sessionId);
    return notice;
  }

  return {
    // Notices about the token, prices and indexes are not urgent: never at a session start.
    /** All notices, for health, status and doctor. */
    all: () => [...standing(), ...token, ...ofGeneration(), ...prices(), ...reindexNotices(reindexed)],
    // Notices shown once come before those that repeat.
    /** The notice for the start of this session, or null. A notice about generation comes once a session. */
    first: (sessionId: string) => firstOfGeneration(sessionId) ?? standing()[0] ?? null,
  };
}

/** Warnings at the start of the worker: what other machines can do or guess. */
export function startNotices(settings: LoadedSettings): string[] {
  return [openAddressNotice(settings), ...tokenNotice(settings)].filter((notice) => notice !== null);
}

function tokenNotice(settings: LoadedSettings): string[] {
  const weak = weakTokenNotice(settings);
  return weak === null ? [] : [`SECURITY mem: ${weak.message} Run \`${weak.next}\`.`];
}

/** A warning while other machines can use the whole API, or none because the token cannot be read; else null. */
function openAddressNotice(settings: LoadedSettings): string | null {
  const host = settings.get("MEM_WORKER_HOST");
  switch (remoteAccess(settings).is) {
    case "token":
      return null;
    case "open":
      return `SECURITY mem: the worker is bound to ${host} without MEM_TV_TOKEN: every machine that reaches it can read and change the memory and read the provider keys. Run \`mem tv enable\`, or \`mem tv disable\` to bind it to 127.0.0.1.`;
    case "closed":
      return isLoopbackHost(host)
        ? null
        : "SECURITY mem: MEM_TV_TOKEN is not valid, so other machines are refused. Run `mem tv enable`.";
  }
}

// Kept in memory only: after a restart, and beyond this number, a notice repeats.
const maxShown = 256;

// Without a model or a chosen mode none is used, and most workers save the read.
function modeNotice(settings: LoadedSettings): string | null {
  if (settings.get("MEM_PROVIDER") === "local" && settings.source("MEM_MODE") === "default") return null;
  const [problem] = loadActiveMode(settings.get("MEM_MODE"), { dataDir: settings.dataDir }).warnings;
  if (problem === undefined) return null;
  return `mem: ${problem} See \`mem mode list\`; after \`mem mode use <name>\`, or after fixing its file, run \`mem worker restart\`.`;
}

// An invalid budget falls back to none, so the user must know.
function budgetNotices({ warnings }: LoadedSettings): string[] {
  return ["MEM_DAILY_TOKEN_BUDGET", "MEM_MONTHLY_TOKEN_BUDGET"].flatMap((key) => {
    const warning = warnings.find((sentence) => sentence.startsWith(`${key} in `));
    if (warning === undefined) return [];
    const next = warning.startsWith(`${key} in settings.json`)
      ? `Run \`mem settings set ${key} <tokens> && mem worker restart\`.`
      : `Correct ${key} where it is set, then run \`mem worker restart\`.`;
    return [`mem: ${warning} This budget is off. ${next}`];
  });
}

function reindexNotices(indexes: readonly string[]): string[] {
  if (indexes.length === 0) return [];
  return [
    `mem: the database was damaged in ${indexes.join(", ")}, and mem rebuilt it from the records. Nothing is lost.`,
  ];
}

function storageNotice(failure: MemError | null): string | null {
  if (failure === null) return null;
  const next = failure.code === "storage_full" ? "Free some space" : "Run `mem doctor`";
  return `mem: events cannot be stored. ${failure.message} ${next}: events are lost until then.`;
}

/** A hint if another version installed the hooks, by the marker of `mem install`; else null. */
export function installNotice(markerFile: string, running: string): string | null {
  if (!existsSync(markerFile)) return null;
  const marker =
    failOpenSync("reading .install-version", () => readFileSync(markerFile, "utf8").trim()) ?? "";
  if (marker === "" || marker === running) return null;
  return `mem: hooks were installed by version ${marker}, the worker is ${running}. Run \`mem repair\`.`;
}

/** Events that could not be read are shown for a week, and until `mem repair` or `mem install` renews the marker. */
export function unreadSince({ paths }: Pick<LoadedSettings, "paths">, { now }: Clock): number {
  const marker = failOpenSync("look at .install-version", () =>
    unlessMissing(() => statSync(paths.installVersion)),
  );
  return Math.max(now() - unreadShownMs, marker?.mtimeMs ?? 0);
}

const unreadShownMs = 7 * 86_400_000;

/** Reads the file again when it changes. */
function createPriceNotice(own: string): () => string[] {
  let seen = "";
  let found: string[] = [];
  return () => {
    const stats = failOpenSync("look at prices.json", () => unlessMissing(() => statSync(own)));
    const now = stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
    if (now === seen) return found;
    seen = now;
    found = stats === undefined ? [] : problems(own);
    return found;
  };
}

function problems(own: string): string[] {
  const notices: string[] = [];
  const warn = (sentence: string): void => {
    const what = sentence.replace(own, homePath(own));
    notices.push(`mem: ${what} Fix it, then run \`mem worker restart\`; \`mem cost --help\` shows its form.`);
  };
  loadPrices({ shipped: packageFile("templates", "prices.json"), own, warn });
  return notices;
}
