// Changed files and reviews of records, over the store and the files of this machine.
import { type BlobHashStore, createBlobHashStore } from "../context/freshness/blob-hash-store.ts";
import {
  type ChangedSince,
  type ContentOf,
  createFileContent,
  createFileStates,
  createFreshness,
} from "../context/freshness/freshness.ts";
import { createReview, type Review } from "../context/freshness/review.ts";
import type { Clock } from "../core/clock.ts";
import type { StreamEvent } from "../core/records/events.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { WorkerProjects } from "./projects.ts";

interface FreshnessDeps {
  store: Store;
  clock: Clock;
  projects: Pick<WorkerProjects, "placeOf" | "labelOf">;
  /** For reading the files of one answer. */
  deadlineMs?: number;
}

export type FileStates = ReturnType<typeof createFileStates>;

// A hook waits for the answer.
const readMs = 60;

export function buildFreshness({ store, clock, projects, deadlineMs = readMs }: FreshnessDeps): {
  blobHashes: BlobHashStore;
  changedSince: ChangedSince;
  contentOf: ContentOf;
  fileStates: FileStates;
} {
  const { blobs, recordOrigins } = store;
  const compared = {
    clock,
    deadlineMs,
    blobsOf: blobs.of,
    folderAround: (cwd: string, project: string) =>
      projects.labelOf(cwd) === project ? projects.placeOf(cwd).folder : null,
  };
  return {
    blobHashes: createBlobHashStore({
      clock,
      cwdOf: blobs.cwdOf,
      workTreeAround: projects.placeOf,
      sourcesOf: (observation, limit) =>
        recordOrigins
          .sources(observation, limit)
          .flatMap(({ cited, message }) => (cited === 0 ? [message] : [])),
      store: (hashes) => store.commit(() => blobs.keep(hashes)),
    }),
    contentOf: createFileContent(deadlineMs),
    changedSince: createFreshness(compared),
    // The user reads it, so it may take longer.
    fileStates: createFileStates({ ...compared, deadlineMs: 10 * deadlineMs }),
  };
}

export function buildReview(store: Store, publish: (event: StreamEvent) => void): Review {
  const { commit, observations, review } = store;
  return createReview({ commit, byId: observations.byId, setStanding: review.setStanding, publish });
}
