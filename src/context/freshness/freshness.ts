// Finds files of observations that changed since, and identifies the present content of a file.
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { type FileParts, isOnlyComments, readFileParts } from "./file-parts.ts";
import { keepsSpans, parseSpans } from "./record-spans.ts";
import {
  blobIdOf,
  type FileStamp,
  lookAtFile,
  maxFileBytes,
  type ObjectFormat,
  readWorkFile,
  type WorkFile,
} from "./work-file.ts";

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
  /** What `spansText` made of the parts that the record names. */
  spans: string | null;
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
  const known: KnownContents = new Map();
  return async (request) => {
    const compared = await failOpen("comparing files", () => compare(deps, request, known));
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
  const known: KnownContents = new Map();
  return async (observation, project) => {
    const request = { observations: [observation], project };
    const compared = await failOpen("comparing files", () => compare(deps, request, known));
    return (compared ?? []).map(({ blob, is }) => ({ path: blob.path, is }));
  };
}

interface Compared extends FileState {
  blob: SeenBlob;
}

async function compare(
  deps: FreshnessDeps,
  { observations, project, cwd = null }: FreshnessRequest,
  contents: KnownContents,
): Promise<Compared[]> {
  const blobs = deps.blobsOf(observations.slice(0, maxObservations)).slice(0, maxFiles);
  if (blobs.length === 0) return [];
  const { clock, deadlineMs } = deps;
  const around = once((folder: string) => deps.folderAround(folder, project));
  const reader = cwd === null ? null : around(cwd);
  const isThere = once((folder: string) => lookAtFile(folder).then(({ is }) => is === "other"));
  const shared = {
    contents,
    until: clock.monotonicMs() + deadlineMs,
    clock,
    left: { bytes: maxBytesAtOnce },
  };
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
const maxKnown = 5_000;

/** What is known of the content of a file, by its path. */
type KnownContents = Map<string, KnownContent>;

interface KnownContent extends FileStamp {
  /** By the length of the id. */
  blobIds: Map<number, string>;
  /** Whether it keeps what a record is about, by `answerKey`. */
  kept: Map<string, boolean>;
}

interface Comparison {
  root: string;
  contents: KnownContents;
  until: number;
  clock: Clock;
  /** Bytes that may still be read, over all folders. */
  left: { bytes: number };
}

// A file of many records is examined and read once.
function createComparison({
  root,
  contents,
  until,
  clock,
  left,
}: Comparison): (blob: KnownBlob) => Promise<Compared["is"]> {
  const look = once((place) => lookAtFile(join(root, place)));
  const read = once(async (key): Promise<WorkFile | null> => {
    const [format = "", place = ""] = key.split("\0");
    return readWorkFile({ root, place, format: format as ObjectFormat }, maxFileBytes);
  });
  const parts = new Map<WorkFile, FileParts | undefined>();
  function partsOf(file: WorkFile, place: string): FileParts | undefined {
    if (!parts.has(file)) parts.set(file, readFileParts(file.content, place));
    return parts.get(file);
  }

  /** The answer for the content with this stamp; undefined when it cannot be read now. */
  async function isKept(blob: KnownBlob, stamp: FileStamp): Promise<boolean | undefined> {
    const { place, blob_id } = blob;
    const path = join(root, place);
    const before = knownAt(path, stamp);
    const id = before?.blobIds.get(blob_id.length);
    if (id === blob_id) return true;
    const answer = id === undefined ? undefined : before?.kept.get(answerKey(blob));
    if (answer !== undefined) return answer;
    const file = await readOnce(blob, stamp.size);
    if (file === null) return undefined;
    const known = knownAt(path, file) ?? { ...stampOf(file), blobIds: new Map(), kept: new Map() };
    if (contents.size >= maxKnown) contents.clear();
    contents.set(path, known);
    known.blobIds.set(blob_id.length, file.blobId);
    if (file.blobId === blob_id) return true;
    const kept = keepsRecord(file, blob, () => partsOf(file, place));
    if (known.kept.size < maxKnown) known.kept.set(answerKey(blob), kept);
    return kept;
  }

  function knownAt(path: string, { size, mtimeNs }: FileStamp): KnownContent | undefined {
    const known = contents.get(path);
    return known?.size === size && known.mtimeNs === mtimeNs ? known : undefined;
  }

  const begun = new Set<string>();
  async function readOnce({ place, blob_id }: KnownBlob, size: number): Promise<WorkFile | null> {
    const key = `${formatOf(blob_id)}\0${place}`;
    if (!begun.has(key)) {
      if (size > left.bytes || clock.monotonicMs() > until) return null;
      left.bytes -= size;
      begun.add(key);
    }
    return read(key);
  }

  return async (blob) => {
    const sight = await look(blob.place);
    if (sight.is === "gone") return "gone";
    if (sight.is === "unknown") return "unknown";
    if (sight.is === "other" || isCertainlyChanged(blob, sight.size)) return "changed";
    if (sight.size === blob.size && sight.mtimeNs === blob.mtime_ns) return "same";
    const kept = await isKept(blob, sight);
    if (kept === undefined) return "unknown";
    return kept ? "same" : "changed";
  };
}

function stampOf({ size, mtimeNs }: FileStamp): FileStamp {
  return { size, mtimeNs };
}

function formatOf(blobId: string): ObjectFormat {
  return blobId.length === 40 ? "sha1" : "sha256";
}

function answerKey({ blob_id, spans }: KnownBlob): string {
  return `${blob_id}${spans ?? ""}`;
}

/** Without reading: a file that is too large, or shorter than a whole file that a record is about. */
function isCertainlyChanged({ size, spans }: KnownBlob, now: number): boolean {
  return now !== size && (now > maxFileBytes || (spans === null && now < size));
}

/** By the parts that the record names; without them, a file that only gained comments and blank lines at its end. */
function keepsRecord(
  { content }: WorkFile,
  { spans, place, blob_id, size }: KnownBlob,
  partsOf: () => FileParts | undefined,
): boolean {
  const named = parseSpans(spans);
  if (named !== undefined) {
    const parts = partsOf();
    return parts !== undefined && keepsSpans(parts, named);
  }
  const more = content.length - size;
  if (more <= 0 || more > maxComments) return false;
  if (blobIdOf(content.subarray(0, size), formatOf(blob_id)) !== blob_id) return false;
  return isOnlyComments(content.subarray(size).toString("utf8"), place);
}

const maxComments = 20_000;

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
  const read = await readWorkFile({ root, place: basename(path), format: "sha1" }, maxFileBytes);
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
