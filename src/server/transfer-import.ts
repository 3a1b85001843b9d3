// A project into the database: pages of lines, each stored as a whole, so that an import that ends early can be repeated.

import { MemError, toMemError } from "../core/errors.ts";
import type { ProjectScope } from "../core/records/tenancy.ts";
import type { Connections } from "../store/postgres/open.ts";
import type { TransferCounts } from "../store/postgres/transfer-read.ts";
import { beginImport, importPage, type TransferPage } from "../store/postgres/transfer-write.ts";
import { parseHeader, parseRecord, type TransferHeader, type TransferRecord } from "./transfer-format.ts";
import type { NumberedLine } from "./transfer-lines.ts";

/** How much was in the file, and how much of it was not there yet. */
export interface Imported {
  read: TransferCounts;
  created: TransferCounts;
}

export interface ImportOptions {
  /** The lines after the header. */
  lines: AsyncIterable<NumberedLine>;
  header: TransferHeader;
  scope: ProjectScope;
  onProgress(done: number, all: number): void;
}

/** The header, with which every export begins. Throws `export_invalid`. */
export async function readHeader(lines: AsyncIterator<NumberedLine>): Promise<TransferHeader> {
  const first = await lines.next();
  if (first.done === true) throw new MemError("export_invalid", { message: "There is nothing to import." });
  return parseHeader(first.value.text);
}

// One transaction: enough that its own cost is nothing, little enough that others of the project hardly wait.
const pageRecords = 200;
const pageChars = 4 * 1024 * 1024;

/** Throws `export_invalid` with the number of the line that is damaged; what stands before it is stored by then. */
export async function importProject(
  app: Connections,
  { lines, header, scope, onProgress }: ImportOptions,
): Promise<Imported> {
  const { counts } = header;
  const all = counts.sessions + counts.events + counts.observations;
  const epoch = await beginImport(app, scope, {
    ...{ ...scope, api_key_id: null, request_id: null },
    ...{ action: "project.imported", resource_type: "project", resource_id: scope.project_id },
    details: { fromProjectId: header.projectId, counts: { ...counts } },
  });
  if (epoch === undefined) throw new MemError("not_found", { message: "The project is gone." });
  const read: TransferCounts = { sessions: 0, events: 0, observations: 0 };
  const created: TransferCounts = { sessions: 0, events: 0, observations: 0 };

  async function store({ first, last, page }: OpenPage): Promise<void> {
    const made = await importPage(app, scope, { epoch: String(epoch), page }).catch((cause: unknown) => {
      throw ofLines(first, last, cause);
    });
    for (const kind of ["sessions", "events", "observations"] as const) {
      created[kind] += made[kind];
      read[kind] += page[kind].length;
    }
    onProgress(read.sessions + read.events + read.observations, all);
  }

  let open = newPage();
  try {
    for await (const { number, text } of lines) {
      add(
        open,
        number,
        atLine(number, () => parseRecord(text, { from: header.projectId, to: scope.project_id })),
      );
      open.chars += text.length;
      if (open.records < pageRecords && open.chars < pageChars) continue;
      const full = open;
      open = newPage();
      await store(full);
    }
  } catch (cause) {
    if (isDamage(cause) && open.records > 0) await store(open);
    throw cause;
  }
  if (open.records > 0) await store(open);
  demandWhole(counts, read);
  return { read, created };
}

interface OpenPage {
  first: number;
  last: number;
  records: number;
  chars: number;
  page: { [K in keyof TransferPage]: TransferPage[K][number][] };
}

function newPage(): OpenPage {
  return { first: 0, last: 0, records: 0, chars: 0, page: { sessions: [], events: [], observations: [] } };
}

function add(open: OpenPage, number: number, { is, record }: TransferRecord): void {
  if (open.records === 0) open.first = number;
  open.last = number;
  open.records += 1;
  switch (is) {
    case "session":
      open.page.sessions.push(record);
      break;
    case "event":
      open.page.events.push(record);
      break;
    case "observation":
      open.page.observations.push(record);
      break;
    default:
      is satisfies never;
  }
}

function isDamage(cause: unknown): boolean {
  return cause instanceof MemError && cause.code === "export_invalid";
}

function atLine<T>(number: number, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const error = toMemError(cause);
    throw new MemError(error.code, {
      message: `Line ${number} is damaged. ${error.message}`,
      hint: again,
      cause,
    });
  }
}

const again = "What stands before it is imported; mend the file and run it again: nothing is stored twice.";

function ofLines(first: number, last: number, cause: unknown): MemError {
  const error = toMemError(cause);
  return new MemError(error.code, {
    message: `Lines ${first} to ${last} were not imported: ${error.message}`,
    hint: error.code === "conflict" && error.hint !== undefined ? error.hint : again,
    cause,
  });
}

function demandWhole(announced: TransferCounts, read: TransferCounts): void {
  for (const kind of ["sessions", "events", "observations"] as const) {
    if (read[kind] === announced[kind]) continue;
    throw new MemError("export_invalid", {
      message: `The export is not whole: it has ${read[kind]} of ${announced[kind]} ${kind}.`,
      hint: "What it has is imported; run it again with the whole file: nothing is stored twice.",
    });
  }
}
