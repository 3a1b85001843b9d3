// Keeps the git blob ids of the files of new observations: behind the acknowledgement, one after the other.
import { isAbsolute, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { type Observation, parseLists } from "../../core/records/records.ts";
import type { KnownBlob } from "./freshness.ts";
import { blobIdOf, type ObjectFormat, placeInside } from "./work-file.ts";

interface BlobKeeperDeps {
  clock: Clock;
  /** The directory of the observation's session; null when it had none. */
  cwdOf(sdkSessionId: string): string | null;
  workTreeAround(cwd: string): { folder: string; objectFormat: ObjectFormat };
  /** What is kept already stays: a record that is made again later saw what it saw. */
  keep(blobs: readonly KnownBlob[]): Promise<void>;
}

export interface BlobKeeper {
  /** Returns at once. */
  note(observations: readonly Observation[]): void;
  /** Finishes what it looks at; what still waits is left out. */
  stop(): Promise<void>;
}

export function createBlobKeeper(deps: BlobKeeperDeps): BlobKeeper {
  const waiting: Observation[] = [];
  let running: Promise<void> | undefined;
  let stopped = false;

  async function work(): Promise<void> {
    while (waiting.length > 0 && !stopped) {
      const observations = waiting.splice(0, keptAtOnce);
      await failOpen("keeping what files were like", async () => {
        const blobs: KnownBlob[] = [];
        for (const observation of observations) blobs.push(...(await blobsOf(deps, observation)));
        if (blobs.length > 0) await deps.keep(blobs);
      });
    }
    running = undefined;
  }

  return {
    note(observations) {
      if (stopped) return;
      for (const observation of observations)
        if (waiting.length < mostWaiting && hasFiles(observation)) waiting.push(observation);
      if (waiting.length > 0) running ??= work();
    },
    async stop() {
      stopped = true;
      waiting.length = 0;
      await running;
    },
  };
}

const mostWaiting = 2_000;
// One sync to disk for many.
const keptAtOnce = 20;
const mostFiles = 30;
const maxFileBytes = 2 * 1024 * 1024;
// What a session writes itself moments after is told of as changed since, as soon as it changes once more.
const seenWithinMs = 5 * 60_000;
// A later write of the same size within the grain of the clock of a disk would look like this one.
const settledMs = 2_000;

function hasFiles({ files_touched }: Observation): boolean {
  return files_touched !== "[]";
}

async function blobsOf(deps: BlobKeeperDeps, observation: Observation): Promise<KnownBlob[]> {
  const cwd = deps.cwdOf(observation.sdk_session_id);
  if (cwd === null || !isAbsolute(cwd)) return [];
  const { folder, objectFormat } = deps.workTreeAround(cwd);
  const seenUntil = lastSeen(observation, deps.clock.now());
  const blobs: KnownBlob[] = [];
  for (const path of parseLists(observation).files_touched.slice(0, mostFiles)) {
    const place = await placeOf(folder, path, cwd);
    const blob = place && (await blobIdOf({ root: folder, place, format: objectFormat }, maxFileBytes));
    if (!place || !blob) continue;
    const { blobId, size, mtimeNs } = blob;
    const writtenAt = Number(BigInt(mtimeNs) / 1_000_000n);
    if (writtenAt > seenUntil) continue;
    const isSettled = Math.abs(deps.clock.now() - writtenAt) > settledMs;
    const mtime_ns = isSettled ? mtimeNs : null;
    blobs.push({ observation_id: observation.id, path, place, blob_id: blobId, size, mtime_ns });
  }
  return blobs;
}

// An observation that was made long after (of the spool, of a queue that waited for its model) did not see what was
// written behind it, be it by a moment: what is there now says nothing of then.
function lastSeen({ created_at_epoch: at }: Observation, now: number): number {
  return at + (now - at > seenWithinMs ? settledMs : seenWithinMs);
}

// A path that is not absolute is meant from the directory of the session, or from the top.
async function placeOf(folder: string, path: string, cwd: string): Promise<string | null> {
  if (isAbsolute(path)) return placeInside(folder, path);
  return (await placeInside(folder, join(cwd, path))) ?? placeInside(folder, join(folder, path));
}
