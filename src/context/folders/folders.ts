// Context files in the folders of projects: written to recently active folders, listed, and removed.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { markedSection, type Unsafe } from "../../text/marked-section.ts";
import { type FileRecord, type FolderActivity, folderActivities, folderLines } from "./activity.ts";
import {
  contextFileName,
  contextFilesBelow,
  type Folder,
  folderBelow,
  folderWithin,
  pathIn,
  plainFolder,
  readContextFile,
  replaceContextFile,
} from "./context-file.ts";

const { hasSection, withoutSection, withSection } = markedSection("folder context");

/** A context file with our section. */
export interface FolderFile {
  path: string;
  project: string;
  written_at_epoch: number;
}

/** A file that was not changed, and why. */
export interface LeftFile {
  path: string;
  why: string;
}

export interface FoldersPort {
  /** Newest first; only active records of our own. */
  records(project: string, limit: number): FileRecord[];
  /** Top folder of the project. */
  folderOf(project: string): string | null;
  labels(): string[];
  files(): FolderFile[];
  remember(file: FolderFile): Promise<void>;
  forget(path: string): Promise<void>;
}

export interface Refreshed extends Removed {
  /** Paths of changed files. */
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
  /** Removes our sections from the files at or below `under`, or from all. */
  remove(under?: string): Promise<Removed>;
}

export function createFolders(port: FoldersPort, now: () => number): Folders {
  return {
    list: () =>
      port
        .files()
        .filter((file) => !isRemoved(file))
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
      for (const file of port.files().filter((one) => !isRemoved(one) && isMeant(one)))
        if (await removeFile(port, file, removed))
          await port.remember({ ...file, written_at_epoch: removedMark });
      // The files of a moved or copied folder are not in the list.
      if (under !== undefined) await removeBelow(port, under, removed);
      return removed;
    },
  };
}

const maxRecords = 1000;

// In the list a file that the user removed keeps this time: in its folder and below no other is written.
const removedMark = 0;

export function isRemoved({ written_at_epoch }: FolderFile): boolean {
  return written_at_epoch === removedMark;
}

async function refreshProject(
  { port, now }: { port: FoldersPort; now(): number },
  project: string,
  refreshed: Refreshed,
): Promise<void> {
  const root = port.folderOf(project);
  if (root === null) return;
  const active = new Set<string>();
  const removed = port.files().filter(isRemoved);
  for (const activity of folderActivities(root, port.records(project, maxRecords))) {
    const folder = folderWithin(root, activity.folder);
    // Deleted since, behind a link, or in a nested project.
    if (folder === null) continue;
    const path = pathIn(folder);
    if (removed.some((one) => path.startsWith(join(dirname(one.path), "/")))) continue;
    active.add(path);
    const wrote = write(folder, activity);
    if (wrote === "written") {
      refreshed.written.push(path);
      await port.remember({ path, project, written_at_epoch: now() });
    } else if (wrote !== "same") refreshed.left.push({ path, why: wrote.unsafe });
    // Writes are synchronous; other work runs between two of them.
    await setImmediate();
  }
  const stale = port
    .files()
    .filter((file) => file.project === project && !active.has(file.path) && !isRemoved(file));
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

/** A cleaned file that the list has at a deleted path leaves the list, if only one entry matches. */
async function forgetMoved(port: FoldersPort, end: string): Promise<void> {
  const gone = port.files().filter(({ path }) => path.endsWith(end) && !existsSync(dirname(path)));
  const [only] = gone;
  if (only !== undefined && gone.length === 1) await port.forget(only.path);
}

/** True when the file, as it was known, is gone from the list. */
async function removeFile(port: FoldersPort, file: FolderFile, removed: Removed): Promise<boolean> {
  const known = file.path;
  const root = port.folderOf(file.project);
  const path = existsSync(dirname(known)) ? known : movedTo(root, known);
  if (path === null) {
    removed.left.push({ path: known, why: whyNotReached(known) });
    return false;
  }
  const folder = folderOfFile(path, root);
  if (folder === null && existsSync(path)) {
    removed.left.push({ path, why: "its folder is behind a link" });
    return false;
  }
  const isGone = folder === null || takeFrom(folder, path, removed);
  if (isGone) await port.forget(known);
  return isGone && path === known;
}

/** True when the file no longer has our section. */
function takeFrom(folder: Folder, path: string, removed: Removed): boolean {
  const before = readContextFile(folder);
  if (before === null) return true;
  const failed = "unsafe" in before ? before : takeOut(folder, before);
  if (failed === undefined) removed.removed.push(path);
  else removed.left.push({ path, why: failed.unsafe });
  return failed === undefined;
}

/**
 * The present path of a file whose folder is gone: below the project's present top folder. If the project stayed where it
 * was, the folder was deleted and the path is returned unchanged. Null when the file is not found.
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
  return `${gone} does not exist. If the project was moved, run \`mem folders remove <folder>\` with its present folder`;
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

// The path had no links when it was written: behind a new link that leads elsewhere, the file is not ours.
function folderOfFile(path: string, root: string | null): Folder | null {
  if (!path.endsWith(contextFileName)) return null;
  const folder = dirname(path);
  return (root === null ? null : folderBelow(root, folder)) ?? plainFolder(folder);
}
