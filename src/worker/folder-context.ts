// Context files in project folders: refreshed on a timer for projects with new records, when enabled.
import { homedir } from "node:os";
import { dirname } from "node:path";
import { createFolders, type Folders, isRemoved } from "../context/folders/folders.ts";
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { Store } from "../store/sqlite/store.ts";

interface FolderDeps {
  store: Store;
  settings: LoadedSettings;
  clock: Clock;
}

export interface WorkerFolders {
  folders: Folders;
  /** A record of the project was stored, reviewed or withdrawn. */
  touched(project: string): void;
  /** Refreshes projects touched since the last round; the first round refreshes all that have files. */
  refreshTouched(): Promise<void>;
}

export function buildFolders({ store, settings, clock }: FolderDeps): WorkerFolders {
  const { folderFiles, projects } = store;
  const folders = createFolders(
    {
      records: folderFiles.records,
      folderOf(project) {
        const id = projects.find(project);
        return id === undefined ? null : ownFolder(projects.folderOf(id));
      },
      labels: projects.labels,
      files: folderFiles.all,
      remember: (file) => store.commit(() => folderFiles.put(file)),
      forget: (path) => store.commit(() => folderFiles.remove(path)),
    },
    clock.now,
  );
  const isOn = settings.get("MEM_FOLDER_CONTEXT_ENABLED");
  // A stopped worker may have left files with records withdrawn since.
  const touched = new Set(isOn ? folderFiles.all().map(({ project }) => project) : []);
  return {
    folders: {
      ...folders,
      async refresh(project) {
        if (!isOn) throw new MemError("conflict", switchedOff);
        // The user asks for the files that were removed too.
        for (const file of folderFiles.all())
          if (isRemoved(file) && (project ?? file.project) === file.project)
            await store.commit(() => folderFiles.remove(file.path));
        return folders.refresh(project);
      },
    },
    touched(project) {
      if (isOn) touched.add(project);
    },
    async refreshTouched() {
      const failures: unknown[] = [];
      for (const project of [...touched]) {
        // First, so that records written meanwhile are picked up by the next round.
        touched.delete(project);
        try {
          await folders.refresh(project);
        } catch (cause) {
          touched.add(project);
          failures.push(cause);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

const switchedOff = {
  message: "Context files in folders are switched off.",
  hint: "Run `mem settings set MEM_FOLDER_CONTEXT_ENABLED true`, then `mem worker restart`.",
};

// The home folder and `/` are no project folders: all other folders are inside.
function ownFolder(folder: string | null): string | null {
  if (folder === null || folder === homedir() || dirname(folder) === folder) return null;
  return folder;
}
