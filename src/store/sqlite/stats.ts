// Counts and size of the database for status, and the state of the viewer.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

interface DatabaseStats {
  path: string;
  /** Bytes of the database file, without its log. */
  size: number;
  observations: number;
  sessions: number;
  summaries: number;
  prompts: number;
  firstObservationAt: number | null;
}

/** Counting 100,000 rows reads the smallest index, about a millisecond. */
export function createStats(db: Sqlite): () => DatabaseStats {
  const read = createSql(db).get<[], Omit<DatabaseStats, "path">>(
    `select
       (select count(*) from observations) as observations,
       (select count(*) from sessions) as sessions,
       (select count(*) from session_summaries) as summaries,
       (select count(*) from user_prompts where private = 0) as prompts,
       (select min(created_at_epoch) from observations) as firstObservationAt,
       (select page_count * page_size from pragma_page_count, pragma_page_size) as size`,
  );
  return () => {
    const counts = read();
    if (counts === undefined) throw new TypeError("a select of scalars gave no row");
    return { path: db.name, ...counts };
  };
}

interface ViewerState {
  sidebarOpen: boolean;
  selectedProject: string | null;
}

export function createViewerStates(db: Sqlite) {
  const sql = createSql(db);
  const read = sql.all<[], { key: string; value: string }>("select key, value from viewer_state");
  const write = sql.run<[key: string, value: string]>(
    "insert into viewer_state (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
  );
  return {
    get(): ViewerState {
      const stored = new Map(read().map((row) => [row.key, row.value]));
      return {
        sidebarOpen: stored.get("sidebarOpen") !== "false",
        selectedProject: stored.get("selectedProject") || null,
      };
    },
    set({ sidebarOpen, selectedProject }: { [K in keyof ViewerState]?: ViewerState[K] | undefined }): void {
      if (sidebarOpen !== undefined) write("sidebarOpen", String(sidebarOpen));
      if (selectedProject !== undefined) write("selectedProject", selectedProject ?? "");
    },
  };
}
