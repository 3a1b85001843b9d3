// Adds records of an export over the store, unless they are excluded, and tells the parts of the worker that need to know.
import type { Exclusions } from "../capture/exclusions.ts";
import { RecentMap } from "../core/recent-map.ts";
import { type ExportedRecord, type ExportRow, readExportLine } from "../core/records/memory-export.ts";
import { parseList } from "../core/records/records.ts";
import type { ImportPorts } from "../http/api/import.ts";
import type { ImportedRecords } from "../http/schemas/import.ts";
import { createMemoryImport } from "../store/sqlite/memory-import.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { Json } from "../text/json.ts";

interface ImportDeps {
  db: Sqlite;
  store: Pick<Store, "commit">;
  /** Told of observations that need vectors. */
  vectors: { notify(ids: readonly number[]): void };
  /** Sessions came, and with them labels of projects. */
  signals: { emit(name: "labelsChanged"): unknown };
  exclusions: Exclusions;
}

// A few milliseconds: hooks go between.
const recordsPerCommit = 20;

export function createImportPorts({
  db,
  store,
  vectors,
  signals,
  exclusions,
}: ImportDeps): Pick<ImportPorts, "records"> {
  let prepared: ReturnType<typeof createMemoryImport> | undefined;
  const isExcluded = createExcludedRecords(exclusions);

  async function add(lines: readonly Json[]): Promise<ImportedRecords> {
    const read = lines.map(readExportLine);
    prepared ??= createMemoryImport(db);
    const importRecord = prepared;
    const done = await store.commit(() =>
      read.map((record) => {
        if ("fault" in record) return record;
        if (isExcluded(record)) return { outcome: "excluded" as const, type: record.type };
        return { ...importRecord(record), type: record.type };
      }),
    );
    const added = done.flatMap((each) => ("type" in each && each.outcome === "added" ? [each] : []));
    vectors.notify(added.flatMap(({ type, id }) => (type === "observation" && id !== undefined ? [id] : [])));
    if (added.some(({ type }) => type === "session")) signals.emit("labelsChanged");
    return {
      outcomes: done.map((each) => ("fault" in each ? "refused" : each.outcome)),
      faults: done.flatMap((each, index) => ("fault" in each ? [{ index, fault: each.fault }] : [])),
    };
  }

  return {
    async records(lines) {
      const all: ImportedRecords = { outcomes: [], faults: [] };
      for (let from = 0; from < lines.length; from += recordsPerCommit) {
        const { outcomes, faults } = await add(lines.slice(from, from + recordsPerCommit));
        all.outcomes.push(...outcomes);
        all.faults.push(...faults.map(({ index, fault }) => ({ index: from + index, fault })));
      }
      return all;
    },
  };
}

// Sessions precede their records, which have no directory.
const rememberedSessions = 20_000;

/** Whether a record is of an excluded project, directory or session, or names an excluded path. */
function createExcludedRecords(exclusions: Exclusions): (record: ExportedRecord) => boolean {
  const sessions = new RecentMap<string, { isLeft: boolean; cwd: string | undefined }>(rememberedSessions);
  return ({ type, row }) => {
    switch (type) {
      // They have keys alone.
      case "replacement":
      case "deleted":
        return false;
      case "project":
        return exclusions.hasPlace({ project: String(row.label), cwd: textOf(row.folder) });
      case "session": {
        const cwd = textOf(row.cwd);
        const isLeft = exclusions.hasPlace({ project: String(row.project), cwd });
        sessions.set(String(row.sdk_session_id), { isLeft, cwd });
        sessions.set(String(row.claude_session_id), { isLeft, cwd });
        return isLeft;
      }
      case "prompt":
        return isOfExcluded(row);
      case "observation":
      case "summary":
        return isOfExcluded(row) || exclusions.isNamedIn(namedIn(row), sessionOf(row)?.cwd);
      default:
        return type satisfies never;
    }
  };

  function sessionOf({ sdk_session_id, claude_session_id }: ExportRow) {
    return sessions.get(String(sdk_session_id)) ?? sessions.get(String(claude_session_id));
  }

  function isOfExcluded(row: ExportRow): boolean {
    const { claude_session_id, project } = row;
    if (sessionOf(row)?.isLeft === true) return true;
    return exclusions.hasPlace({ project: String(project), claudeSessionId: textOf(claude_session_id) });
  }
}

function textOf(value: string | number | null | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Texts and paths of a record; lists are JSON. */
function namedIn(row: ExportRow): Json[] {
  const { files_touched, files_read, files_modified, ...texts } = row;
  const files = [files_touched, files_read, files_modified].map((list) => parseList(String(list ?? "[]")));
  return [...files, ...Object.values(texts).filter((value) => typeof value === "string")];
}
