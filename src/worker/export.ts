// `mem export` on the database itself, read-only and beside a running worker.
import type { Writable } from "node:stream";
import { MemError } from "../core/errors.ts";
import { toFile, toStream } from "../core/output-file.ts";
import {
  type ExportCounts,
  type ExportHeader,
  exportFormat,
  exportLine,
  exportVersion,
} from "../core/records/memory-export.ts";
import { version } from "../core/version.ts";
import { type ExportFilter, openSnapshot } from "../store/sqlite/memory-export.ts";

export interface ExportRequest {
  database: string;
  filter: ExportFilter;
  to: string | Writable;
  /** Records written so far, and in total. */
  onProgress(done: number, all: number): void;
  signal: AbortSignal;
}

export interface Exported {
  counts: ExportCounts;
  /** Tool uses without a record yet: they are not in the export. */
  waiting: number;
}

const linesPerWrite = 200;

/** Writes everything of one moment. Throws `cancelled` when the signal aborts; a file is then as it was before. */
export async function exportMemory(request: ExportRequest): Promise<Exported> {
  const { database, filter, to } = request;
  const snapshot = openSnapshot(database, filter);
  try {
    const run = (write: (text: string) => Promise<void>) => writeLines(snapshot, request, write);
    await (typeof to === "string" ? toFile(to, run) : run(toStream(to)));
    return { counts: snapshot.counts, waiting: snapshot.waiting };
  } finally {
    snapshot.close();
  }
}

async function writeLines(
  { counts, device, rows }: ReturnType<typeof openSnapshot>,
  { filter, onProgress, signal }: ExportRequest,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const header: ExportHeader = {
    format: exportFormat,
    version: exportVersion,
    product: version(),
    ...(filter.project === undefined ? {} : { project: filter.project }),
    ...(filter.since === undefined ? {} : { since_epoch: filter.since }),
    ...(device === undefined ? {} : { device }),
    records: all,
  };
  let done = 0;
  let lines = [JSON.stringify(header)];
  for (const { type, row } of rows()) {
    lines.push(exportLine(type, row));
    done += 1;
    if (lines.length < linesPerWrite) continue;
    await write(`${lines.join("\n")}\n`);
    lines = [];
    onProgress(done, all);
    if (signal.aborted) throw new MemError("cancelled", { message: "Stopped. Nothing was exported." });
  }
  lines.push(JSON.stringify({ type: "end", records: done }));
  await write(`${lines.join("\n")}\n`);
  onProgress(done, all);
}
