// A project out of the database: a header and a line for each record, to whoever takes them at his own pace.
import { type Clock, isoTime } from "../core/clock.ts";
import type { ProjectScope } from "../core/records/tenancy.ts";
import { insertAudit } from "../store/postgres/audit.ts";
import type { Database } from "../store/postgres/open.ts";
import { readProject, type TransferCounts } from "../store/postgres/transfer-read.ts";
import { type TransferHeader, transferFormatVersion } from "./transfer-format.ts";

export interface ExportOptions {
  scope: ProjectScope;
  names: { team: string; project: string };
  product: string;
  clock: Clock;
  /** Resolves when it takes more. */
  write(text: string): Promise<void>;
  /** Records that are written so far, and all there are. */
  onProgress(done: number, all: number): void;
}

/** Writes it all down; the audit log says so before the first line leaves. */
export function exportProject(
  { app, system }: Pick<Database, "app" | "system">,
  { scope, names, product, clock, write, onProgress }: ExportOptions,
): Promise<TransferCounts> {
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
      const header: TransferHeader = {
        mem: "project-export",
        formatVersion: transferFormatVersion,
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
