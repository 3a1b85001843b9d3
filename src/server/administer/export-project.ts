// Writes a project as an export: a header and one line for each record.
import { type Clock, isoTime } from "../../core/clock.ts";
import type { ExportCounts } from "../../core/records/project-export.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { insertAudit } from "../../store/postgres/audit.ts";
import type { Database } from "../../store/postgres/open.ts";
import { readProject } from "../../store/postgres/project-export.ts";
import { type ExportHeader, exportFormatVersion } from "./export-format.ts";

export interface ExportOptions {
  scope: ProjectScope;
  names: { team: string; project: string };
  product: string;
  clock: Clock;
  /** Resolves when it takes more. */
  write(text: string): Promise<void>;
  /** Records written so far, and in total. */
  onProgress(done: number, all: number): void;
}

/** Writes everything; the audit row is committed before the first line is written. */
export function exportProject(
  { app, system }: Pick<Database, "app" | "system">,
  { scope, names, product, clock, write, onProgress }: ExportOptions,
): Promise<ExportCounts> {
  let done = 0;
  let all = 0;
  return readProject(app, scope, {
    async begin(counts) {
      all = counts.sessions + counts.events + counts.observations;
      await insertAudit(system, {
        ...{ ...scope, api_key_id: null, request_id: null },
        ...{ action: "project.exported", resource_type: "project", resource_id: scope.project_id },
        details: { counts: { ...counts } },
      });
      const header: ExportHeader = {
        mem: "project-export",
        formatVersion: exportFormatVersion,
        product,
        exportedAt: isoTime(clock.now()),
        ...names,
        projectId: scope.project_id,
        counts,
      };
      await write(`${JSON.stringify(header)}\n`);
    },
    async lines(texts) {
      await write(`${texts.join("\n")}\n`);
      done += texts.length;
      onProgress(done, all);
    },
  });
}
