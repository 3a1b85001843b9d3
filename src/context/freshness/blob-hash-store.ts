// Stores the git blob ids of the files of new observations, in the background.
import { isAbsolute, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { type Observation, parseLists } from "../../core/records/records.ts";
import type { KnownBlob } from "./freshness.ts";
import { blobIdOf, maxFileBytes, type ObjectFormat, placeInside } from "./work-file.ts";

interface BlobHashStoreDeps {
  clock: Clock;
  /** The directory of the observation's session; null when it had none. */
  cwdOf(sdkSessionId: string): string | null;
  workTreeAround(cwd: string): { folder: string; objectFormat: ObjectFormat };
  /** Does not overwrite: a regenerated record saw the files of the first time. */
  store(blobs: readonly KnownBlob[]): Promise<void>;
}

export type BlobHashStore = ReturnType<typeof createBlobHashStore>;

export function createBlobHashStore(deps: BlobHashStoreDeps) {
  const waiting: Observation[] = [];
  let running: Promise<void> | undefined;
  let stopped = false;

  async function work(): Promise<void> {
    while (waiting.length > 0 && !stopped) {
      const observations = waiting.splice(0, batchSize);
      await failOpen("storing blob hashes", async () => {
        const blobs: KnownBlob[] = [];
        for (const observation of observations) blobs.push(...(await blobsOf(deps, observation)));
        if (blobs.length > 0) await deps.store(blobs);
      });
    }
    running = undefined;
  }

  return {
    /** Returns immediately. */
    add(observations: readonly Observation[]) {
      if (stopped) return;
      const withFiles = observations.filter(({ files_touched }) => files_touched !== "[]");
      waiting.push(...withFiles.slice(0, maxWaiting - waiting.length));
      if (waiting.length > 0) running ??= work();
    },
    /** Finishes the present batch and drops the rest. */
    async stop() {
      stopped = true;
      waiting.length = 0;
      await running;
    },
  };
}

const maxWaiting = 2_000;
// One sync to disk per batch.
const batchSize = 20;
const maxFiles = 30;
// What a session writes moments later counts as seen; the next change is reported.
const seenWithinMs = 5 * 60_000;
// A later write of the same size within the grain of a disk's clock would look like this one.
const settledMs = 2_000;

async function blobsOf(deps: BlobHashStoreDeps, observation: Observation): Promise<KnownBlob[]> {
  const cwd = deps.cwdOf(observation.sdk_session_id);
  if (cwd === null || !isAbsolute(cwd)) return [];
  const { folder, objectFormat } = deps.workTreeAround(cwd);
  const now = deps.clock.now();
  const seenUntil = lastSeen(observation, now);
  const blobs: KnownBlob[] = [];
  for (const path of parseLists(observation).files_touched.slice(0, maxFiles)) {
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

// An observation made long afterwards (from the spool or a waiting queue) did not see later writes.
function lastSeen({ created_at_epoch: at }: Observation, now: number): number {
  return at + (now - at > seenWithinMs ? settledMs : seenWithinMs);
}

// A relative path starts at the directory of the session, or at the top folder.
async function placeOf(folder: string, path: string, cwd: string): Promise<string | null> {
  if (isAbsolute(path)) return placeInside(folder, path);
  return (await placeInside(folder, join(cwd, path))) ?? placeInside(folder, join(folder, path));
}
