// What the viewer remembers: whether its side bar is open and which project it shows.
import type { Sqlite } from "./open.ts";

export interface ViewerState {
  sidebarOpen: boolean;
  selectedProject: string | null;
}

export interface ViewerStates {
  get(): ViewerState;
  set(change: { [K in keyof ViewerState]?: ViewerState[K] | undefined }): void;
}

export function createViewerStates(db: Sqlite): ViewerStates {
  const read = db.prepare<[], { key: string; value: string }>("select key, value from viewer_state");
  const write = db.prepare<[string, string]>(
    "insert into viewer_state (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
  );
  return {
    get() {
      const stored = new Map(read.all().map((row) => [row.key, row.value]));
      const project = stored.get("selectedProject") ?? "";
      return {
        sidebarOpen: stored.get("sidebarOpen") !== "false",
        selectedProject: project === "" ? null : project,
      };
    },
    set(change) {
      if (change.sidebarOpen !== undefined) write.run("sidebarOpen", String(change.sidebarOpen));
      if (change.selectedProject !== undefined) write.run("selectedProject", change.selectedProject ?? "");
    },
  };
}
