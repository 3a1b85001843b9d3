// What is said of records, and whether the files they speak of are still as they were: over the store and this machine.

import { type BlobKeeper, createBlobKeeper } from "../context/freshness/blob-keeper.ts";
import { type ContentOf, createFileContent } from "../context/freshness/file-content.ts";
import { type ChangedSince, createFreshness } from "../context/freshness/freshness.ts";
import { createJudge, type Judge } from "../context/freshness/judge.ts";
import type { Clock } from "../core/clock.ts";
import type { StreamEvent } from "../core/records/events.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { WorkerProjects } from "./project-ports.ts";

interface TruthDeps {
  store: Store;
  clock: Clock;
  projects: Pick<WorkerProjects, "placeOf" | "labelOf">;
  /** For looking at the files of one answer. */
  deadlineMs?: number;
}

// A hook waits for the answer.
const lookMs = 60;

export function buildFreshness({ store, clock, projects, deadlineMs = lookMs }: TruthDeps): {
  keeper: BlobKeeper;
  changedSince: ChangedSince;
  contentOf: ContentOf;
} {
  const { blobs } = store;
  return {
    keeper: createBlobKeeper({
      clock,
      cwdOf: blobs.cwdOf,
      workTreeAround: projects.placeOf,
      keep: (kept) => store.commit(() => blobs.keep(kept)),
    }),
    contentOf: createFileContent(deadlineMs),
    changedSince: createFreshness({
      clock,
      deadlineMs,
      blobsOf: blobs.of,
      folderAround: (cwd, project) =>
        projects.labelOf(cwd) === project ? projects.placeOf(cwd).folder : null,
    }),
  };
}

export function buildJudge(store: Store, publish: (event: StreamEvent) => void): Judge {
  const { commit, observations, truth } = store;
  return createJudge({ commit, byId: observations.byId, setStanding: truth.setStanding, publish });
}
