// Finds files of observations that changed since, and identifies the present content of a file.
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { blobIdOf, type FileStamp, lookAtFile, maxFileBytes } from "./work-file.ts";

export interface FileChange {
  /** As in the record; relative to the top folder when another checkout than the record's was compared. */
  path: string;
  is: "changed" | "gone";
}

/** Compares the work tree around `cwd` if it belongs to the project, else the work tree of each record. */
export interface FreshnessRequest {
  observations: readonly number[];
  project: string;
  cwd?: string | null;
}

/**
 * Changes by observation. Never throws and never starts a process. Files that cannot be read within the deadline and the
 * caps are not reported.
 */
export type ChangedSince = (request: FreshnessRequest) => Promise<ReadonlyMap<number, readonly FileChange[]>>;

/** A file of an observation at the time of the observation. */
export interface KnownBlob {
  observation_id: number;
  path: string;
  /** Relative to the top folder of the work tree, with `/`. */
  place: string;
  blob_id: string;
  size: number;
  mtime_ns: string | null;
}

/** With the directory of its session. */
export interface SeenBlob extends KnownBlob {
  cwd: string | null;
}

interface FreshnessDeps {
  clock: Clock;
  deadlineMs: number;
  blobsOf(observations: readonly number[]): SeenBlob[];
  /** Top folder of the work tree around a directory; null for a directory of another project. */
  folderAround(cwd: string, project: string): string | null;
}

export function createFreshness(deps: FreshnessDeps): ChangedSince {
  const hashed = new Map<string, FileStamp & { blobId: string }>();
  return async (request) => {
    const compared = await failOpen("comparing files", () => compare(deps, request, hashed));
    const changes = new Map<number, FileChange[]>();
    for (const { blob, is, path } of compared ?? []) {
      if (is === "same" || is === "unknown") continue;
      const list = changes.get(blob.observation_id) ?? [];
      changes.set(blob.observation_id, list);
      list.push({ path, is });
    }
    return changes;
  };
}

/** A file of a record beside its present content; `unknown` when it cannot be read now. */
interface FileState {
  path: string;
  is: "same" | "unknown" | FileChange["is"];
}

/** Compares the files of one record with its own work tree. Never throws. */
export function createFileStates(
  deps: FreshnessDeps,
): (observation: number, project: string) => Promise<FileState[]> {
  const hashed = new Map<string, FileStamp & { blobId: string }>();
  return async (observation, project) => {
    const request = { observations: [observation], project };
    const compared = await failOpen("comparing files", () => compare(deps, request, hashed));
    return (compared ?? []).map(({ blob, is }) => ({ path: blob.path, is }));
  };
}

interface Compared extends FileState {
  blob: SeenBlob;
}

async function compare(
  deps: FreshnessDeps,
  { observations, project, cwd = null }: FreshnessRequest,
  hashed: Comparison["hashed"],
): Promise<Compared[]> {
  const blobs = deps.blobsOf(observations.slice(0, maxObservations)).slice(0, maxFiles);
  if (blobs.length === 0) return [];
  const { clock, deadlineMs } = deps;
  const around = once((folder: string) => deps.folderAround(folder, project));
  const reader = cwd === null ? null : around(cwd);
  const isThere = once((folder: string) => lookAtFile(folder).then(({ is }) => is === "other"));
  const shared = { hashed, until: clock.monotonicMs() + deadlineMs, clock, left: { bytes: maxBytesAtOnce } };
  const compareIn = once((root: string) => createComparison({ ...shared, root }));
  const compared = blobs.map(async (blob): Promise<Compared> => {
    const origin = originOf(blob);
    // `isThere` first: `around` reads synchronously and would hang on a lost network share.
    const own = origin !== null && (await isThere(origin)) ? around(origin) : null;
    const root = reader ?? own;
    const path = root === own ? blob.path : blob.place;
    // A missing folder says nothing about its files.
    if (root === null || !(await isThere(root))) return { blob, is: "unknown", path };
    const is = await compareIn(root)(blob);
    // Another checkout may never have had the file.
    return { blob, is: is === "gone" && root !== own ? "unknown" : is, path };
  });
  const known: (Compared | undefined)[] = blobs.map(() => undefined);
  const all = compared.map(async (promise, index) => {
    known[index] = await promise;
  });
  await within(deadlineMs, Promise.all(all));
  return known.filter((each) => each !== undefined);
}

/** The top folder of the record's path; if the path does not tell, the directory of its session. */
function originOf({ path, place, cwd }: SeenBlob): string | null {
  const plain = path.replaceAll("\\", "/");
  if (isAbsolute(path) && plain.endsWith(`/${place}`)) return path.slice(0, -place.length - 1) || null;
  return cwd !== null && isAbsolute(cwd) ? cwd : null;
}

function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, { value: T }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

const maxObservations = 200;
const maxFiles = 200;
const maxBytesAtOnce = 8 * 1024 * 1024;
const maxHashed = 5_000;

interface Comparison {
  root: string;
  /** Cached content ids by path. */
  hashed: Map<string, FileStamp & { blobId: string }>;
  until: number;
  clock: Clock;
  /** Bytes that may still be read, over all folders. */
  left: { bytes: number };
}

// A file of many records is examined and read once.
function createComparison({
  root,
  hashed,
  until,
  clock,
  left,
}: Comparison): (blob: KnownBlob) => Promise<Compared["is"]> {
  const look = once((place) => lookAtFile(join(root, place)));
  const reading = new Map<string, Promise<string | null>>();

  async function contentOf({ place, blob_id, size }: KnownBlob, mtimeNs: string): Promise<string | null> {
    const path = join(root, place);
    const format = blob_id.length === 40 ? "sha1" : "sha256";
    const before = hashed.get(path);
    if (before?.size === size && before.mtimeNs === mtimeNs && before.blobId.length === blob_id.length)
      return before.blobId;
    if (size > left.bytes || clock.monotonicMs() > until) return null;
    left.bytes -= size;
    const now = await blobIdOf({ root, place, format }, maxFileBytes);
    if (now === null) return null;
    if (hashed.size >= maxHashed) hashed.clear();
    hashed.set(path, now);
    return now.blobId;
  }

  return async (blob) => {
    const { place, size, mtime_ns, blob_id } = blob;
    const sight = await look(place);
    if (sight.is === "gone") return "gone";
    if (sight.is === "unknown") return "unknown";
    if (sight.is === "other" || sight.size !== size) return "changed";
    if (sight.mtimeNs === mtime_ns) return "same";
    const key = `${place}:${blob_id.length}`;
    const read = reading.get(key) ?? contentOf(blob, sight.mtimeNs);
    reading.set(key, read);
    const content = await read;
    if (content === null) return "unknown";
    return content === blob_id ? "same" : "changed";
  };
}

/** Null for a path that is not a file or cannot be read within the deadline. */
export type ContentOf = (path: string, cwd: string | null) => Promise<string | null>;

/** Identifies content by its git blob id, a file too large to hash by size and time, a missing file as "gone". */
export function createFileContent(deadlineMs: number): ContentOf {
  return async (path, cwd) => {
    const absolute = isAbsolute(path) ? path : cwd !== null && isAbsolute(cwd) ? join(cwd, path) : null;
    return absolute === null ? null : within(deadlineMs, contentIdOf(absolute));
  };
}

async function contentIdOf(path: string): Promise<string | null> {
  const sight = await lookAtFile(path);
  if (sight.is === "gone") return "gone";
  if (sight.is !== "file") return null;
  const root = await realpath(dirname(path)).catch(() => null);
  if (root === null) return null;
  const read = await blobIdOf({ root, place: basename(path), format: "sha1" }, maxFileBytes);
  return read?.blobId ?? `${sight.size}-${sight.mtimeNs}`;
}

/** Null after `ms`. Work that hangs (a lost network share) is abandoned. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  const first = await Promise.race([work, late]);
  clearTimeout(timer);
  return first;
}
