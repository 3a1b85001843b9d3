// What the user must be told: writes that fail, a damaged database, hooks of another version, an open address, a provider
// that refuses access, a queue that is stuck, a mode that cannot be used.

import type { MemError } from "../core/errors.ts";
import { pauseNotice, stuckNotice } from "../core/records/generation-pause.ts";
import { version } from "../core/version.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import { loadActiveMode } from "../settings/modes/load-mode.ts";
import { installNotice } from "./install-version.ts";
import { damageNotice } from "./open-store.ts";
import { createPriceNotice } from "./price-notice.ts";
import type { WorkerStatus } from "./status.ts";

export interface Notices {
  /** All of them, for health, status and doctor. */
  all(): string[];
  /** The one that is shown at the start of this session, or null; one about generation only once a session. */
  first(sessionId: string): string | null;
}

interface StorageState {
  /** Why writes fail, null while they do not. */
  storageFailure(): MemError | null;
  /** Indexes that were damaged, and were built again. */
  reindexed: readonly string[];
}

export function createNotices(
  settings: LoadedSettings,
  status: Pick<WorkerStatus, "pause" | "isStuck">,
  { storageFailure, reindexed }: StorageState,
): Notices {
  const { paths } = settings;
  const told = new Set<string>();
  // As the model's instructions: read once, when the worker starts.
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

  // A pause that the user must end explains a queue that stands still.
  function ofGeneration(): string[] {
    const halt = pauseNotice(status.pause()) ?? (status.isStuck() ? stuckNotice : null);
    return [halt, ...budgets, mode].filter((notice) => notice !== null);
  }

  // A session starts again with every resume, clear and compaction: there it would only be noise.
  function firstOfGeneration(sessionId: string): string | null {
    const [notice = null] = ofGeneration();
    if (notice === null || told.has(sessionId)) return null;
    const [oldest] = told;
    if (told.size >= mostTold && oldest !== undefined) told.delete(oldest);
    told.add(sessionId);
    return notice;
  }

  return {
    // Wrong prices spoil a table, and a rebuilt index is right again: no session need hear of them.
    all: () => [...standing(), ...ofGeneration(), ...prices(), ...reindexNotices(reindexed)],
    // What is told once comes before what comes back with the next session.
    first: (sessionId) => firstOfGeneration(sessionId) ?? standing()[0] ?? null,
  };
}

/** A warning while other machines can reach the worker's port and no TV token is set, else null. */
export function openAddressNotice(settings: LoadedSettings): string | null {
  const host = settings.get("MEM_WORKER_HOST");
  if (isLoopbackHost(host) || settings.get("MEM_TV_TOKEN").isSet) return null;
  return `SECURITY mem: the worker is bound to ${host} without MEM_TV_TOKEN. Set the token, or MEM_WORKER_HOST back to 127.0.0.1.`;
}

// In memory only: after a restart, and past these, it is told once more.
const mostTold = 256;

// Without a model, and without a mode that the user chose, there is none to be used: most workers are spared the look.
function modeNotice(settings: LoadedSettings): string | null {
  if (settings.get("MEM_PROVIDER") === "local" && settings.source("MEM_MODE") === "default") return null;
  const [problem] = loadActiveMode(settings.get("MEM_MODE"), { dataDir: settings.dataDir }).warnings;
  if (problem === undefined) return null;
  return `mem: ${problem} See \`mem mode list\`; after \`mem mode use <name>\`, or once its file is mended, run \`mem worker restart\`.`;
}

// It would fall back to none, and nobody would learn that nothing limits what is spent.
function budgetNotices({ warnings }: LoadedSettings): string[] {
  return ["MEM_DAILY_TOKEN_BUDGET", "MEM_MONTHLY_TOKEN_BUDGET"].flatMap((key) => {
    const warning = warnings.find((sentence) => sentence.startsWith(`${key} in `));
    if (warning === undefined) return [];
    const next = warning.startsWith(`${key} in settings.json`)
      ? `Run \`mem settings set ${key} <tokens> && mem worker restart\`.`
      : `Correct ${key} where it is set, then run \`mem worker restart\`.`;
    return [`mem: ${warning} So no such budget is kept. ${next}`];
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
  return `mem: what happens cannot be written down. ${failure.message} ${next}: what finds no place until then is lost.`;
}
