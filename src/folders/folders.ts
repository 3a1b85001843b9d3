// Context files in the folders of projects: written where something was done, listed, and removed without a trace.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type FileRecord, type FolderActivity, folderActivities, folderLines } from "./activity.ts";
import {
  contextFileName,
  type Folder,
  folderWithin,
  pathIn,
  readContextFile,
  replaceContextFile,
} from "./context-file.ts";
import { hasSection, type Unsafe, withoutSection, withSection } from "./section.ts";
import { contextFilesBelow } from "./sections-below.ts";

/** A context file that we have written into. */
export interface FolderFile {
  path: string;
  project: string;
  written_at_epoch: number;
}

/** A file that was left as it is, and why. */
export interface LeftFile {
  path: string;
  why: string;
}

export interface FoldersPort {
  /** Newest first; none that is not known to hold, or that came from outside. */
  records(project: string, limit: number): FileRecord[];
  /** Top folder of the project, where it was seen last. */
  folderOf(project: string): string | null;
  labels(): string[];
  files(): FolderFile[];
  remember(file: FolderFile): Promise<void>;
  forget(path: string): Promise<void>;
}

export interface Refreshed extends Removed {
  /** Paths whose content is another one now. */
  written: string[];
}

export interface Removed {
  removed: string[];
  left: LeftFile[];
}

export interface Folders {
  list(): (FolderFile & { is: "there" | "gone" })[];
  /** Writes the files of one project, or of all. */
  refresh(project?: string): Promise<Refreshed>;
  /** Takes our sections out: of the files at or below `under`, or of all. */
  remove(under?: string): Promise<Removed>;
}

export function createFolders(port: FoldersPort, now: () => number): Folders {
  return {
    list: () => port.files().map((file) => ({ ...file, is: isThere(file) ? "there" : "gone" })),
    async refresh(project) {
      const refreshed: Refreshed = { written: [], removed: [], left: [] };
      for (const label of project === undefined ? port.labels() : [project])
        await refreshProject({ port, now }, label, refreshed);
      return refreshed;
    },
    async remove(under) {
      const removed: Removed = { removed: [], left: [] };
      const isMeant = ({ path }: FolderFile) =>
        under === undefined || path === under || path.startsWith(`${under.replace(/[/\\]+$/, "")}/`);
      for (const file of port.files().filter(isMeant)) await removeFile(port, file, removed);
      // Of a moved or copied folder nobody may know any more that something stands in it.
      if (under !== undefined) await removeBelow(port, under, removed);
      return removed;
    },
  };
}

const mostRecords = 1000;

async function refreshProject(
  { port, now }: { port: FoldersPort; now(): number },
  project: string,
  refreshed: Refreshed,
): Promise<void> {
  const root = port.folderOf(project);
  if (root === null) return;
  const active = new Set<string>();
  for (const activity of folderActivities(root, port.records(project, mostRecords))) {
    const folder = folderWithin(root, activity.folder);
    // Gone since, behind a link, or of a project in this one: there is nothing that could be written into.
    if (folder === null) continue;
    const path = pathIn(folder);
    active.add(path);
    const wrote = write(folder, activity);
    if (wrote === "written") {
      refreshed.written.push(path);
      await port.remember({ path, project, written_at_epoch: now() });
    } else if (wrote !== "same") refreshed.left.push({ path, why: wrote.unsafe });
    // Files are written at once each; between two of them others have their turn.
    await setImmediate();
  }
  const stale = port.files().filter((file) => file.project === project && !active.has(file.path));
  for (const file of stale) await removeFile(port, file, refreshed);
}

function write(folder: Folder, activity: FolderActivity): "written" | "same" | Unsafe {
  const before = readContextFile(folder);
  if (before !== null && "unsafe" in before) return before;
  const next = withSection(before, folderLines(activity));
  if ("unsafe" in next) return next;
  if (before?.equals(next)) return "same";
  return replaceContextFile(folder, before, next) ?? "written";
}

async function removeBelow(port: FoldersPort, under: string, removed: Removed): Promise<void> {
  const left = new Set(removed.left.map(({ path }) => path));
  for (const path of await contextFilesBelow(under))
    if (!left.has(path) && isThere({ path })) await removeFile(port, { path, project: "" }, removed);
}

async function removeFile(
  port: FoldersPort,
  file: Pick<FolderFile, "path" | "project">,
  removed: Removed,
): Promise<void> {
  const known = file.path;
  const path = existsSync(dirname(known)) ? known : movedTo(port, file);
  if (path === null) {
    removed.left.push({ path: known, why: "its folder was moved, and is not known there" });
    return;
  }
  const folder = folderOfFile({ path });
  const before = folder === null ? null : readContextFile(folder);
  if (folder !== null && before !== null) {
    const failed = "unsafe" in before ? before : takeOut(folder, before);
    if (failed !== undefined) {
      removed.left.push({ path, why: failed.unsafe });
      return;
    }
    removed.removed.push(path);
  }
  await port.forget(known);
}

/**
 * Where the file is now that its folder is gone: below the project's present top folder, at the same path from there on.
 * A folder that went while its project stayed is gone for good: the path stays as it is. Null when it was not found.
 */
function movedTo(port: FoldersPort, { path, project }: Pick<FolderFile, "path" | "project">): string | null {
  const root = port.folderOf(project);
  if (root === null || !existsSync(root)) return null;
  if (path.startsWith(join(root, "/"))) return path;
  const parts = path.split(/[/\\]/);
  const ends = parts.map((_, index) => join(root, ...parts.slice(index + 1))).slice(0, -2);
  return ends.find((candidate) => isThere({ path: candidate })) ?? null;
}

function takeOut(folder: Folder, before: Buffer): Unsafe | undefined {
  const next = withoutSection(before);
  if (next !== null && "unsafe" in next) return next;
  return next?.equals(before) ? undefined : replaceContextFile(folder, before, next);
}

function isThere(file: Pick<FolderFile, "path">): boolean {
  const folder = folderOfFile(file);
  const content = folder === null ? null : readContextFile(folder);
  return content !== null && !("unsafe" in content) && hasSection(content);
}

// The path was real when it was written; where a link stands in it now, the file is not ours any more.
function folderOfFile({ path }: Pick<FolderFile, "path">): Folder | null {
  if (!path.endsWith(contextFileName)) return null;
  const folder = dirname(path);
  return folderWithin(dirname(folder), folder);
}
