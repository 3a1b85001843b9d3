// Reads an export into a project, page by page; an import that ends early can be repeated.
import { MemError, toMemError } from "../../core/errors.ts";
import type { NumberedLine } from "../../core/numbered-lines.ts";
import type { ExportCounts } from "../../core/records/project-export.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { beginImport, importPage } from "../../store/postgres/project-import.ts";
import { type ExportHeader, type ExportRecord, parseHeader, parseRecord } from "./export-format.ts";

/** How many records the file had, and how many of them are new. */
export interface Imported {
  read: ExportCounts;
  created: ExportCounts;
}

export interface ImportOptions {
  /** The lines after the header. */
  lines: AsyncIterable<NumberedLine>;
  header: ExportHeader;
  scope: ProjectScope;
  onProgress(done: number, all: number): void;
}

/** Parses the first line. Throws `export_invalid`. */
export async function readHeader(lines: AsyncIterator<NumberedLine>): Promise<ExportHeader> {
  const first = await lines.next();
  if (first.done === true) throw new MemError("export_invalid", { message: "There is nothing to import." });
  return parseHeader(first.value.text);
}

// One transaction: large enough to be cheap, small enough that other writers of the project hardly wait.
const pageRecords = 200;
const pageChars = 4 * 1024 * 1024;

/** Throws `export_invalid` with the number of a damaged line; the lines before it are stored by then. */
export async function importProject(
  app: Connections,
  { lines, header, scope, onProgress }: ImportOptions,
): Promise<Imported> {
  const { counts } = header;
  const epoch = await beginImport(app, scope, {
    ...{ ...scope, api_key_id: null, request_id: null },
    ...{ action: "project.imported", resource_type: "project", resource_id: scope.project_id },
    details: { fromProjectId: header.projectId, counts: { ...counts } },
  });
  if (epoch === undefined) {
    throw new MemError("not_found", {
      message: "The project was deleted meanwhile.",
      hint: "Import it again: that creates the project.",
    });
  }
  const read: ExportCounts = { sessions: 0, events: 0, observations: 0 };
  const created: ExportCounts = { sessions: 0, events: 0, observations: 0 };

  for await (const { records, failure } of pagesOf(lines, { from: header.projectId, to: scope.project_id })) {
    const page = {
      sessions: records.flatMap((record) => (record.kind === "session" ? [record.row] : [])),
      events: records.flatMap((record) => (record.kind === "event" ? [record.row] : [])),
      observations: records.flatMap((record) => (record.kind === "observation" ? [record.row] : [])),
    };
    if (records.length > 0) {
      const made = await importPage(app, scope, { epoch, page }).catch((cause: unknown) => {
        throw pageFailed(records, cause);
      });
      for (const kind of countKinds) {
        created[kind] += made[kind];
        read[kind] += page[kind].length;
      }
      onProgress(sum(read), sum(counts));
    }
    if (failure !== null) throw failure;
  }
  demandComplete(counts, read);
  return { read, created };
}

const countKinds = ["sessions", "events", "observations"] as const;

function sum({ sessions, events, observations }: ExportCounts): number {
  return sessions + events + observations;
}

type NumberedRecord = ExportRecord & { line: number };

/** Pages of parsed lines; the last one has the failure that ended the reading. */
async function* pagesOf(
  lines: AsyncIterable<NumberedLine>,
  projects: { from: string; to: string },
): AsyncGenerator<{ records: NumberedRecord[]; failure: MemError | null }> {
  let records: NumberedRecord[] = [];
  let chars = 0;
  try {
    for await (const { number, text } of lines) {
      records.push({ ...parseLine(number, text, projects), line: number });
      chars += text.length;
      if (records.length < pageRecords && chars < pageChars) continue;
      const full = records;
      records = [];
      chars = 0;
      yield { records: full, failure: null };
    }
  } catch (cause) {
    if (!(cause instanceof MemError) || cause.code !== "export_invalid") throw cause;
    yield { records, failure: cause };
    return;
  }
  yield { records, failure: null };
}

const repeatHint =
  "The lines before it are imported. Fix the file and import it again: nothing is stored twice.";

function parseLine(number: number, text: string, projects: { from: string; to: string }): ExportRecord {
  try {
    return parseRecord(text, projects);
  } catch (cause) {
    const error = toMemError(cause);
    throw new MemError(error.code, {
      message: `Line ${number} is damaged. ${error.message}`,
      hint: repeatHint,
      cause,
    });
  }
}

function pageFailed(records: readonly NumberedRecord[], cause: unknown): MemError {
  const error = toMemError(cause);
  return new MemError(error.code, {
    message: `Lines ${records[0]?.line} to ${records.at(-1)?.line} were not imported: ${error.message}`,
    hint: error.code === "conflict" && error.hint !== undefined ? error.hint : repeatHint,
    cause,
  });
}

function demandComplete(announced: ExportCounts, read: ExportCounts): void {
  for (const kind of countKinds) {
    if (read[kind] === announced[kind]) continue;
    throw new MemError("export_invalid", {
      message: `The export is incomplete: it has ${read[kind]} of ${announced[kind]} ${kind}.`,
      hint: "These records are imported. Import the complete file: nothing is stored twice.",
    });
  }
}
