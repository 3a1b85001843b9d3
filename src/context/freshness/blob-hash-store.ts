// Stores the git blob ids of the files of new observations and the parts that each names, in the background.
import { isAbsolute, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import type { PendingMessage } from "../../core/records/messages.ts";
import { type Observation, parseList, parseLists } from "../../core/records/records.ts";
import { touchedLines } from "../../core/tools/touched-lines.ts";
import { type FileParts, readFileParts } from "./file-parts.ts";
import type { KnownBlob } from "./freshness.ts";
import { readNamed } from "./named-parts.ts";
import { spansText, touchedIn } from "./record-spans.ts";
import { maxFileBytes, type ObjectFormat, placeInside, readWorkFile, type WorkFile } from "./work-file.ts";

interface BlobHashStoreDeps {
  clock: Clock;
  /** The directory of the observation's session; null when it had none. */
  cwdOf(sdkSessionId: string): string | null;
  workTreeAround(cwd: string): { folder: string; objectFormat: ObjectFormat };
  /** The tool uses that the observation was made from. */
  sourcesOf(observation: number, limit: number): readonly Partial<PendingMessage>[];
  /** Does not overwrite: a regenerated record saw the files of the first time. */
  store(blobs: readonly KnownBlob[]): Promise<void>;
}

export type BlobHashStore = ReturnType<typeof createBlobHashStore>;

export function createBlobHashStore(deps: BlobHashStoreDeps) {
  const waiting: Observation[] = [];
  let running: Promise<void> | undefined;
  let stopped = false;

  async function work(): Promise<void> {
    while (waiting.length > 0 && !stopped) {
      const observations = waiting.splice(0, batchSize);
      await failOpen("storing blob hashes", async () => {
        const blobs: KnownBlob[] = [];
        const readFiles: ReadFiles = new Map();
        for (const observation of observations) blobs.push(...(await blobsOf(deps, observation, readFiles)));
        if (blobs.length > 0) await deps.store(blobs);
      });
    }
    running = undefined;
  }

  return {
    /** Returns immediately. */
    add(observations: readonly Observation[]) {
      if (stopped) return;
      const withFiles = observations.filter(({ files_touched }) => files_touched !== "[]");
      waiting.push(...withFiles.slice(0, maxWaiting - waiting.length));
      if (waiting.length > 0) running ??= work();
    },
    /** Finishes the present batch and drops the rest. */
    async stop() {
      stopped = true;
      waiting.length = 0;
      await running;
    },
  };
}

const maxWaiting = 2_000;
// One sync to disk per batch.
const batchSize = 20;
const maxFiles = 30;
// What a session writes moments later counts as seen; the next change is reported.
const seenWithinMs = 5 * 60_000;
// A later write of the same size within the grain of a disk's clock would look like this one.
const settledMs = 2_000;

const maxSources = 20;

/** What was read in one batch, by place and blob id. */
type ReadFiles = Map<string, FileParts | undefined>;

async function blobsOf(
  deps: BlobHashStoreDeps,
  observation: Observation,
  readFiles: ReadFiles,
): Promise<KnownBlob[]> {
  const cwd = deps.cwdOf(observation.sdk_session_id);
  if (cwd === null || !isAbsolute(cwd)) return [];
  const { folder, objectFormat } = deps.workTreeAround(cwd);
  const now = deps.clock.now();
  const seenUntil = lastSeen(observation, now);
  const { files_touched } = parseLists(observation);
  // Of an imported record most files are gone, or were written since: its sources are read only for another one.
  let spansIn: Awaited<ReturnType<typeof createSpans>> | undefined;
  const blobs: KnownBlob[] = [];
  for (const path of files_touched.slice(0, maxFiles)) {
    const place = await placeOf(folder, path, cwd);
    const file = place && (await readWorkFile({ root: folder, place, format: objectFormat }, maxFileBytes));
    if (!place || !file) continue;
    const { blobId, size, mtimeNs } = file;
    const writtenAt = Number(BigInt(mtimeNs) / 1_000_000n);
    if (writtenAt > seenUntil) continue;
    const isSettled = Math.abs(deps.clock.now() - writtenAt) > settledMs;
    const mtime_ns = isSettled ? mtimeNs : null;
    spansIn ??= await createSpans(deps, observation, { folder, cwd, readFiles });
    const spans = spansIn(file, place);
    blobs.push({ observation_id: observation.id, path, place, blob_id: blobId, size, mtime_ns, spans });
  }
  return blobs;
}

/** Answers with the parts of a file that the observation names, edited or read. */
async function createSpans(
  { sourcesOf }: BlobHashStoreDeps,
  observation: Observation,
  { folder, cwd, readFiles }: { folder: string; cwd: string; readFiles: ReadFiles },
): Promise<(file: WorkFile, place: string) => string | null> {
  const named = readNamed(textsOf(observation), parseList(observation.files_touched));
  const touched = sourcesOf(observation.id, maxSources).map(touchedLines);
  const placed = new Map<string, string | null>();
  for (const { path } of touched.flatMap(({ edited, read }) => [...edited, ...read]))
    if (!placed.has(path)) placed.set(path, await placeOf(folder, path, cwd));
  return ({ blobId, content }, place) => {
    const key = `${place}\0${blobId}`;
    if (!readFiles.has(key)) readFiles.set(key, readFileParts(content, place));
    const file = readFiles.get(key);
    if (file === undefined) return null;
    return spansText(file, {
      named,
      place,
      touched: touchedIn(touched, (path) => placed.get(path) === place),
    });
  };
}

// An observation made long afterwards (from the spool or a waiting queue) did not see later writes.
function lastSeen({ created_at_epoch: at }: Observation, now: number): number {
  return at + (now - at > seenWithinMs ? settledMs : seenWithinMs);
}

// A relative path starts at the directory of the session, or at the top folder.
async function placeOf(folder: string, path: string, cwd: string): Promise<string | null> {
  if (isAbsolute(path)) return placeInside(folder, path);
  return (await placeInside(folder, join(cwd, path))) ?? placeInside(folder, join(folder, path));
}

function textsOf({ title, subtitle, summary, narrative, text, facts }: Observation): string[] {
  return [title, subtitle, summary, narrative, text, ...parseList(facts)].filter((each) => each !== null);
}
