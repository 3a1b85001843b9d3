// Context files in the folders of projects: written where something was done, listed, and removed without a trace.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type FileRecord, type FolderActivity, folderActivities, folderLines } from "./activity.ts";
import {
  contextFileName,
  type Folder,
  folderBelow,
  folderWithin,
  pathIn,
  plainFolder,
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
  /** Top folder of the project. */
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
    list: () =>
      port
        .files()
        .map((file) => ({ ...file, is: isThere(file, port.folderOf(file.project)) ? "there" : "gone" })),
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
  const done = new Set([...removed.removed, ...removed.left.map(({ path }) => path)]);
  for (const path of await contextFilesBelow(under)) {
    const folder = folderOfFile(path, under);
    if (done.has(path) || folder === null || !hasOurs(folder)) continue;
    if (takeFrom(folder, path, removed)) await forgetMoved(port, path.slice(under.length));
  }
}

/** What was cleaned where it is now is what is known at a place that is gone, when nothing else can be meant. */
async function forgetMoved(port: FoldersPort, end: string): Promise<void> {
  const gone = port.files().filter(({ path }) => path.endsWith(end) && !existsSync(dirname(path)));
  const [only] = gone;
  if (only !== undefined && gone.length === 1) await port.forget(only.path);
}

async function removeFile(port: FoldersPort, file: FolderFile, removed: Removed): Promise<void> {
  const known = file.path;
  const root = port.folderOf(file.project);
  const path = existsSync(dirname(known)) ? known : movedTo(root, known);
  if (path === null) {
    removed.left.push({ path: known, why: whyNotReached(known) });
    return;
  }
  const folder = folderOfFile(path, root);
  if (folder === null && existsSync(path)) {
    removed.left.push({ path, why: "a link leads to its folder" });
    return;
  }
  if (folder === null || takeFrom(folder, path, removed)) await port.forget(known);
}

/** True when nothing of ours is in it any more. */
function takeFrom(folder: Folder, path: string, removed: Removed): boolean {
  const before = readContextFile(folder);
  if (before === null) return true;
  const failed = "unsafe" in before ? before : takeOut(folder, before);
  if (failed === undefined) removed.removed.push(path);
  else removed.left.push({ path, why: failed.unsafe });
  return failed === undefined;
}

/**
 * Where the file is now that its folder is gone: below the project's present top folder, at the same path from there on.
 * A folder that went while its project stayed is gone for good: the path stays as it is. Null when it was not found.
 */
function movedTo(root: string | null, path: string): string | null {
  if (root === null || !existsSync(root)) return null;
  if (path.startsWith(join(root, "/"))) return path;
  const parts = path.split(/[/\\]/);
  const ends = parts.map((_, index) => join(root, ...parts.slice(index + 1))).slice(0, -2);
  return ends.find((candidate) => isThere({ path: candidate }, root)) ?? null;
}

function whyNotReached(path: string): string {
  let gone = dirname(path);
  while (!existsSync(dirname(gone))) gone = dirname(gone);
  return `${gone} is not there. If the project was moved, run \`mem folders remove <folder>\` with the folder that it is in now`;
}

function takeOut(folder: Folder, before: Buffer): Unsafe | undefined {
  const next = withoutSection(before);
  if (next !== null && "unsafe" in next) return next;
  return next?.equals(before) ? undefined : replaceContextFile(folder, before, next);
}

function isThere({ path }: Pick<FolderFile, "path">, root: string | null): boolean {
  const folder = folderOfFile(path, root);
  return folder !== null && hasOurs(folder);
}

function hasOurs(folder: Folder): boolean {
  const content = readContextFile(folder);
  return content !== null && !("unsafe" in content) && hasSection(content);
}

// The path was real when it was written; where a link stands in it now that does not lead to the project, the file is
// not ours any more.
function folderOfFile(path: string, root: string | null): Folder | null {
  if (!path.endsWith(contextFileName)) return null;
  const folder = dirname(path);
  return (root === null ? null : folderBelow(root, folder)) ?? plainFolder(folder);
}
