// Says which files of an observation are not as they were when it was stored.
import { isAbsolute, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { blobIdOf, type FileStamp, lookAtFile } from "./work-file.ts";

/** A file of an observation whose content is another one now, or that is no longer there. */
export interface FileChange {
  /** As the record spells it; from the top folder when another checkout than the record's was looked at. */
  path: string;
  is: "changed" | "gone";
}

/** Where to look: the work tree around `cwd`, the reader's, when it is the project's; else that of each record. */
export interface FreshnessRequest {
  observations: readonly number[];
  project: string;
  cwd?: string | null;
}

/**
 * What has changed since, by observation; those without a change are not in it. Never throws and never starts a
 * process; what cannot be looked at within the deadline and the caps is not claimed to have changed.
 */
export type ChangedSince = (request: FreshnessRequest) => Promise<ReadonlyMap<number, readonly FileChange[]>>;

/** A file of an observation as it was when the observation was stored. */
export interface KnownBlob {
  observation_id: number;
  path: string;
  /** From the top folder of the work tree, with `/`. */
  place: string;
  blob_id: string;
  size: number;
  mtime_ns: string | null;
}

/** With the directory of the session that it is from. */
export interface SeenBlob extends KnownBlob {
  cwd: string | null;
}

interface FreshnessDeps {
  clock: Clock;
  /** Of one question: files that are not read by then are not said to have changed. */
  deadlineMs: number;
  blobsOf(observations: readonly number[]): SeenBlob[];
  /** Top folder of the work tree around a directory; null for one of another project: an agent may step out of its own. */
  folderAround(cwd: string, project: string): string | null;
}

export function createFreshness(deps: FreshnessDeps): ChangedSince {
  const hashed = new Map<string, FileStamp & { blobId: string }>();
  return async (request) => {
    const seen = await failOpen("comparing files", () => compare(deps, request, hashed));
    const changes = new Map<number, FileChange[]>();
    for (const { blob, is, path } of seen ?? []) {
      if (is === "same") continue;
      const list = changes.get(blob.observation_id) ?? [];
      changes.set(blob.observation_id, list);
      list.push({ path, is });
    }
    return changes;
  };
}

interface Compared {
  blob: SeenBlob;
  is: "same" | FileChange["is"];
  path: string;
}

async function compare(
  deps: FreshnessDeps,
  { observations, project, cwd = null }: FreshnessRequest,
  hashed: Look["hashed"],
): Promise<Compared[]> {
  const blobs = deps.blobsOf(observations.slice(0, mostObservations)).slice(0, mostFiles);
  if (blobs.length === 0) return [];
  const { clock, deadlineMs } = deps;
  const around = once((folder: string) => deps.folderAround(folder, project));
  const reader = cwd === null ? null : around(cwd);
  const isThere = once((folder: string) => lookAtFile(folder).then(({ is }) => is === "other"));
  const shared = { hashed, until: clock.monotonicMs() + deadlineMs, clock, left: { bytes: maxBytesAtOnce } };
  const lookIn = once((root: string) => createLook({ ...shared, root }));
  const seen = blobs.map(async (blob): Promise<Compared> => {
    const origin = originOf(blob);
    // What hangs is only asked for without waiting for it.
    const own = origin !== null && (await isThere(origin)) ? around(origin) : null;
    const root = reader ?? own;
    const path = root === own ? blob.path : blob.place;
    // A folder that is not there says nothing of its files.
    if (root === null || !(await isThere(root))) return { blob, is: "same", path };
    const is = await lookIn(root)(blob);
    // Another checkout may never have had the file.
    return { blob, is: is === "gone" && root !== own ? "same" : is, path };
  });
  // What hangs (a share that went away) is left behind, with all that was asked of it.
  return settledBy(seen, deadlineMs);
}

/** The top folder that the record's path was in; where the path does not say, the directory of its session. */
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

const mostObservations = 200;
const mostFiles = 200;
/** Read of one file, and of all files of one question. */
const maxFileBytes = 2 * 1024 * 1024;
const maxBytesAtOnce = 8 * 1024 * 1024;
const mostHashed = 5_000;

interface Look {
  root: string;
  /** Content ids of files as they were when they were read last. */
  hashed: Map<string, FileStamp & { blobId: string }>;
  until: number;
  clock: Clock;
  /** That may still be read, in all folders. */
  left: { bytes: number };
}

// One file that stands in many records is looked at once, and read once.
function createLook({
  root,
  hashed,
  until,
  clock,
  left,
}: Look): (blob: KnownBlob) => Promise<"same" | FileChange["is"]> {
  const sights = new Map<string, ReturnType<typeof lookAtFile>>();
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
    if (hashed.size >= mostHashed) hashed.clear();
    hashed.set(path, now);
    return now.blobId;
  }

  return async (blob) => {
    const { place, size, mtime_ns, blob_id } = blob;
    const looking = sights.get(place) ?? lookAtFile(join(root, place));
    sights.set(place, looking);
    const sight = await looking;
    if (sight.is === "gone") return "gone";
    if (sight.is === "unknown") return "same";
    if (sight.is === "other" || sight.size !== size) return "changed";
    if (sight.mtimeNs === mtime_ns) return "same";
    const key = `${place}:${blob_id.length}`;
    const read = reading.get(key) ?? contentOf(blob, sight.mtimeNs);
    reading.set(key, read);
    const content = await read;
    return content === null || content === blob_id ? "same" : "changed";
  };
}

/** What is known after `ms` at the latest, in order. */
async function settledBy<T>(promises: readonly Promise<T>[], ms: number): Promise<T[]> {
  const known: (T | undefined)[] = promises.map(() => undefined);
  const all = promises.map(async (promise, index) => {
    known[index] = await promise;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(all), late]);
  clearTimeout(timer);
  return known.filter((each) => each !== undefined);
}
