// Routes of imports: records of an export, and events of transcripts.
import type { ImportBatch, ImportCounts } from "../../core/records/imports.ts";
import type { Json } from "../../text/json.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import {
  directoriesBody,
  eventCounts,
  eventsBody,
  type ImportedRecords,
  importBody,
  importedRecords,
  importParams,
  importState,
  labelsAnswer,
} from "../schemas/import.ts";

export interface ImportPorts {
  /** Resolves after the commit. */
  records(lines: readonly Json[]): Promise<ImportedRecords>;
  events(batch: ImportBatch): Promise<ImportCounts>;
  /** How far the source was read. */
  position(source: string): Json;
  /** Imported messages in the queue. */
  waiting(): number;
  /** Label of the project of a directory, which need not exist. */
  labelOf(directory: string): string;
}

/** Largest body: a record of 2 MB in which many characters are escaped. */
const maxImportBytes = 8 * 1024 * 1024;

/** `POST /api/import/records` and `/events`, `GET /api/import/sources/:source`, `POST /api/projects/of`. */
export function importRoutes(app: App, imports: ImportPorts): void {
  app.post(
    "/api/import/records",
    {
      bodyLimit: maxImportBytes,
      schema: {
        summary: "Add records of an export. What is here stays as it is; a repeated import adds nothing.",
        body: importBody,
        response: { 200: importedRecords, ...writeErrors },
      },
    },
    ({ body }) => imports.records(body.records),
  );
  app.post(
    "/api/import/events",
    {
      schema: {
        summary: "Import a part of a transcript; what is there already is counted as known.",
        body: eventsBody,
        response: { 200: eventCounts, ...writeErrors },
      },
    },
    ({ body }) => imports.events(body),
  );
  app.get(
    "/api/import/sources/:source",
    {
      schema: {
        summary: "Where the import of a source continues.",
        params: importParams,
        response: { 200: importState, ...readErrors },
      },
    },
    ({ params }) => ({ position: imports.position(params.source), waiting: imports.waiting() }),
  );
  app.post(
    "/api/projects/of",
    {
      schema: {
        summary: "The projects of directories; nothing is stored.",
        body: directoriesBody,
        response: { 200: labelsAnswer, ...writeErrors },
      },
    },
    ({ body }) => ({ labels: body.directories.map(imports.labelOf) }),
  );
}
