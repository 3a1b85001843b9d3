// What `--project`, `--since` and `--limit` select of a source.
import type { ImportedEvent } from "../core/records/imports.ts";
import type { JsonObject } from "../text/json.ts";
import { numberField, textField } from "../text/json-fields.ts";

export interface ImportFilter {
  events(events: readonly ImportedEvent[]): Promise<ImportedEvent[]>;
  /** For a line of an export that is no session. */
  record(line: JsonObject): boolean;
}

interface Selection {
  project: string | undefined;
  sinceEpochMs: number;
  labelsOf(directories: readonly string[]): Promise<string[]>;
}

export function createFilter({ project, sinceEpochMs, labelsOf }: Selection): ImportFilter {
  const labels = new Map<string, string>();
  return {
    async events(events) {
      const recent = events.filter(({ at }) => at >= sinceEpochMs);
      if (project === undefined) return recent;
      const unknown = [...new Set(recent.map(directoryOf))].filter((directory) => !labels.has(directory));
      const named = await labelsOf(unknown);
      for (const [index, directory] of unknown.entries()) labels.set(directory, named[index] ?? "");
      return recent.filter((event) => labels.get(directoryOf(event)) === project);
    },
    record: (line) =>
      (numberField(line, "created_at_epoch") ?? 0) >= sinceEpochMs &&
      (project === undefined || textField(line, "project") === project),
  };
}

function directoryOf({ payload }: ImportedEvent): string {
  return textField(payload, "cwd") || "/";
}

/** The selected records, each session once and before them. */
export function selectedRecords(lines: readonly JsonObject[], filter: ImportFilter | null): JsonObject[] {
  const records = lines.filter((line) => !isSession(line) && (filter === null || filter.record(line)));
  const needed = new Set(records.map(sessionOf));
  const sessions = lines.filter((line) => isSession(line) && needed.delete(sessionOf(line)));
  return [...sessions, ...records];
}

function isSession({ type }: JsonObject): boolean {
  return type === "session";
}

function sessionOf(line: JsonObject): string {
  return textField(line, "claude_session_id");
}
