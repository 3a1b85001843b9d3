// Timeline, topics and records of a file, over the store.
import type { Mode } from "../core/records/mode.ts";
import { parseLists } from "../core/records/records.ts";
import type { HttpDeps } from "../http/app.ts";
import { type ByFilePort, createByFile } from "../recall/by-file.ts";
import type { Search } from "../recall/search.ts";
import { createTimeline } from "../recall/timeline.ts";
import { createTopics } from "../recall/topics.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { loadActiveMode } from "../settings/modes/load-mode.ts";
import { createFileTimeline } from "../store/sqlite/by-file.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { WorkerBranches } from "./branches.ts";

interface RecallDeps {
  db: Sqlite;
  settings: LoadedSettings;
  store: Store;
  search: Search;
  changedSince: ByFilePort["changedSince"];
  elsewhere: ByFilePort["elsewhere"];
  projectOf: ByFilePort["projectOf"];
  unmerged?: WorkerBranches["unmerged"];
}

export function buildRecall({
  db,
  settings,
  store,
  search,
  changedSince,
  elsewhere,
  projectOf,
  unmerged,
}: RecallDeps): Pick<HttpDeps, "recall" | "timeline"> {
  const { observations, summaries, prompts, projects } = store;
  return {
    timeline: createTimeline({ observations, summaries, prompts, unmerged, ...store.timeline }, search),
    recall: {
      topics: createTopics(search),
      mode: lateMode(settings),
      byFile: createByFile({
        projectId: projects.find,
        elsewhere,
        projectOf,
        find: createFileTimeline(db),
        changedSince,
        unmerged: unmerged && ((ids, at) => unmerged("observation", ids, at)),
      }),
      observationsOf({ ids, project }) {
        const others = unmerged?.("observation", ids, { project: null, cwd: null });
        return [...new Set(ids)].flatMap((id) => {
          const found = observations.byId(id);
          if (found === undefined || (project !== undefined && found.project !== project)) return [];
          return [{ ...parseLists(found), ...(others?.has(id) ? { merged: false } : {}) }];
        });
      },
    },
  };
}

// Read at the first use: 6 ms that no start needs.
function lateMode(settings: LoadedSettings): () => Mode {
  let read: Mode | undefined;
  return () => (read ??= loadActiveMode(settings.get("MEM_MODE"), { dataDir: settings.dataDir }).mode);
}
