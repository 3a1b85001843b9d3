// What a push and a pull share: the parts, the account keys, and what this process knows about the log.
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Applied } from "../core/records/sync.ts";
import { HubFailure } from "./failure.ts";
import type { DeviceIdentity, HubClient } from "./hub-client.ts";
import type { KeyRing } from "./key-ring.ts";
import type { SyncStore } from "./store.ts";

/** How far the first sync, or any long one, is. */
export interface SyncProgress {
  direction: "push" | "pull";
  done: number;
  /** Known when it started; more may come. */
  total: number;
}

/** State of the engine that a run reads and changes. */
export interface SyncRun {
  store: SyncStore;
  client: HubClient;
  clock: Clock;
  /** Names the machine and the data directory. */
  nonce: string;
  ring: KeyRing;
  /** Names what reads the log: version and keys; undefined before the first pull. */
  reader: string | undefined;
  /** Log and device for which the account keys were announced. */
  announced: string | undefined;
  /** The log has a notice of a key of this ring: before that, the first notice decides which account it is. */
  noticed: boolean;
  /** A new device id was taken since the last push that succeeded. */
  isRenamed: boolean;
  /** The log has the operation at the cursor, as far as this process knows. */
  isChecked: boolean;
  /** The log was read from its beginning again: once per process, so that a wrong hub cannot ask for it without end. */
  isRestarted: boolean;
  /** The hub named another log since the last push that succeeded. */
  isOutdated: boolean;
  /** Asked for while a run is going. */
  wants: { pull: boolean; push: boolean };
  progress: SyncProgress | null;
  onApplied(applied: Applied): void;
  onProgress(): void;
}

/** Who pushes and where: a new data directory, or a copied one, takes an id first. */
export async function identify(run: Pick<SyncRun, "store" | "nonce">): Promise<DeviceIdentity> {
  const { device_id, nonce } = run.store.state();
  if (device_id !== undefined && nonce === run.nonce) return { id: device_id, nonce };
  return await takeNewId(run);
}

/** After `device_conflict`. Throws when a new id did not help: the hub is wrong. */
export async function rename(run: SyncRun): Promise<void> {
  if (run.isRenamed)
    throw new HubFailure({ kind: "bad_answer" }, "The hub refuses a new device id as taken.");
  run.isRenamed = true;
  await takeNewId(run);
}

async function takeNewId(run: Pick<SyncRun, "store" | "nonce">): Promise<DeviceIdentity> {
  const id = newId();
  await run.store.adoptDevice(id, run.nonce);
  return { id, nonce: run.nonce };
}

/** Throws when the run was aborted: between two steps, never inside of one. */
export function demandRunning(signal: AbortSignal): void {
  if (signal.aborted) throw new MemError("cancelled");
}
