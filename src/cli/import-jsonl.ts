// Sends the records of an export to the worker, some at a time.
import type { WorkerClient } from "../client/worker-client.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { type NumberedLine, numberedLines } from "../core/numbered-lines.ts";
import { fromFile } from "../core/output-file.ts";
import {
  type ExportCounts,
  exportFormat,
  exportKinds,
  exportVersion,
  noRecords,
  readExportLine,
} from "../core/records/memory-export.ts";
import { isJsonObject, type Json } from "../text/json.ts";

/** What an import of an export did. */
export interface JsonlImport {
  added: ExportCounts;
  /** Records that were here before; they stay as they are. */
  present: number;
  /** Records that were deleted here before. */
  deleted: number;
  /** Records of excluded projects and paths. */
  excluded: number;
  /** Lines that are not valid. */
  refused: { line: number; fault: string }[];
}

interface ImportRequest {
  from: string | AsyncIterable<Uint8Array>;
  /** Null to read and check only: everything valid counts as added. */
  worker: Pick<WorkerClient, "importRecords"> | null;
  /** Records read so far, and in total. */
  onProgress(done: number, all: number): void;
  signal: AbortSignal;
}

/**
 * Throws `export_invalid` for a file that is no export, or ends early, and `cancelled` when the signal aborts; what was read
 * until then is imported.
 */
export async function importJsonl(request: ImportRequest): Promise<JsonlImport> {
  const { from } = request;
  const lines = numberedLines(typeof from === "string" ? fromFile(from) : from);
  try {
    return await importLines(lines, await readHeader(lines), request);
  } finally {
    // Closes the file.
    await lines.return(undefined);
  }
}

async function importLines(
  lines: AsyncIterable<NumberedLine>,
  { records: all, device }: Header,
  { worker, onProgress, signal }: ImportRequest,
): Promise<JsonlImport> {
  const result: JsonlImport = { added: noRecords(), present: 0, deleted: 0, excluded: 0, refused: [] };
  let read = 0;
  let isEnded = false;
  for await (const { records, faults, end } of batchesOf(lines, device)) {
    result.refused.push(...faults);
    if (records.length > 0) await add(worker, records, result);
    read += records.length + faults.length;
    isEnded = end === read;
    onProgress(read, all);
    if (signal.aborted) throw stopped(read, all);
  }
  if (isEnded) return result;
  throw incomplete(read, all, result);
}

function incomplete(read: number, all: number, { refused }: JsonlImport): MemError {
  const [first] = refused;
  const more = refused.length > 1 ? ` ${refused.length - 1} more lines are refused.` : "";
  const bad = first === undefined ? "" : ` Line ${first.line}: ${first.fault}${more}`;
  return new MemError("export_invalid", {
    message: `The export is incomplete: it has ${read - refused.length} of ${all} records.${bad}`,
    hint: "These are imported. Import the complete file: nothing is stored twice.",
    ...(first === undefined ? {} : { details: { refused } }),
  });
}

interface Line {
  number: number;
  value: Json;
}

interface Batch {
  records: Line[];
  faults: JsonlImport["refused"];
  /** How many records the last line announces. */
  end?: number;
}

// The worker takes 200 records and 8 MB in a request.
const batchRecords = 200;
const batchChars = 1024 * 1024;

async function* batchesOf(
  lines: AsyncIterable<NumberedLine>,
  device: string | undefined,
): AsyncGenerator<Batch> {
  let batch: Batch = { records: [], faults: [] };
  let chars = 0;
  for await (const { number, text } of lines) {
    const value = failOpenSync("reading a line of an export", (): Json => JSON.parse(text));
    if (isJsonObject(value) && value.type === "end" && typeof value.records === "number")
      batch.end = value.records;
    else if (value === undefined) batch.faults.push({ line: number, fault: "It is not valid JSON." });
    else batch.records.push({ number, value: withDevice(value, device) });
    chars += text.length;
    if (batch.records.length < batchRecords && chars < batchChars) continue;
    yield batch;
    batch = { records: [], faults: [] };
    chars = 0;
  }
  yield batch;
}

// Where sync brought a record here already, it is known by the device and the number that it has there.
function withDevice(value: Json, device: string | undefined): Json {
  return device !== undefined && isJsonObject(value) ? { ...value, device } : value;
}

async function add(
  worker: ImportRequest["worker"],
  records: readonly Line[],
  result: JsonlImport,
): Promise<void> {
  const values = records.map(({ value }) => value);
  const { outcomes, faults } = worker === null ? checked(values) : await worker.importRecords(values);
  for (const { index, fault } of faults) result.refused.push({ line: records[index]?.number ?? 0, fault });
  for (const [index, outcome] of outcomes.entries()) {
    const value = records[index]?.value;
    const kind = exportKinds.find((each) => isJsonObject(value) && each === value.type);
    if (outcome === "added" && kind !== undefined) result.added[kind] += 1;
    if (outcome === "present" || outcome === "deleted" || outcome === "excluded") result[outcome] += 1;
  }
}

function checked(values: readonly Json[]): Awaited<ReturnType<WorkerClient["importRecords"]>> {
  const read = values.map(readExportLine);
  return {
    outcomes: read.map((each) => ("fault" in each ? "refused" : "added")),
    faults: read.flatMap((each, index) => ("fault" in each ? [{ index, fault: each.fault }] : [])),
  };
}

interface Header {
  /** The number of records that the first line announces. */
  records: number;
  /** The device that wrote the export, where it syncs. */
  device: string | undefined;
}

async function readHeader(lines: AsyncIterator<NumberedLine>): Promise<Header> {
  const first = await lines.next();
  const header =
    first.done === true
      ? undefined
      : failOpenSync("reading the header of an export", (): Json => JSON.parse(first.value.text));
  if (header === undefined || !isJsonObject(header) || header.format !== exportFormat) {
    throw new MemError("export_invalid", {
      message: "The first line is not the header of a `mem export`, so nothing was imported.",
      hint: "`mem export FILE` writes one.",
    });
  }
  if (header.version !== exportVersion) {
    throw new MemError("export_invalid", {
      message: `The export has format version ${JSON.stringify(header.version)}; this mem reads ${exportVersion}.`,
      hint: "Update mem, or export again with this version.",
    });
  }
  return {
    records: typeof header.records === "number" ? header.records : 0,
    device: typeof header.device === "string" ? header.device : undefined,
  };
}

function stopped(read: number, all: number): MemError {
  return new MemError("cancelled", {
    message: `Stopped after ${read} of ${all} records.`,
    hint: "These are imported. Run the command again to go on: nothing is stored twice.",
  });
}
