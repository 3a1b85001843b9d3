// `mem server export` and `mem server import`, on the server's host. Access to the database is the permission.
import type { Writable } from "node:stream";
import type { Clock } from "../../core/clock.ts";
import { MemError, toMemError } from "../../core/errors.ts";
import { numberedLines } from "../../core/numbered-lines.ts";
import { fromFile, toFile, toStream } from "../../core/output-file.ts";
import type { ExportCounts } from "../../core/records/project-export.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { version } from "../../core/version.ts";
import { projectByNames } from "../../store/postgres/project-export.ts";
import { removeEmptyProject } from "../../store/postgres/teams.ts";
import { inTransaction } from "../../store/postgres/tenant.ts";
import {
  type AdministerOptions,
  demandCluster,
  ensureNamedProject,
  ensureNamedTeam,
  parseName,
  withMigrated,
} from "./administer.ts";
import { exportProject } from "./export-project.ts";
import { type Imported, importProject, readHeader } from "./import-project.ts";

export interface Names {
  team: string;
  project: string;
}

/** Records done, and in total. */
type OnProgress = (done: number, all: number) => void;

/** Writes the project to a file or a stream. Throws `not_found` when there is no such project. */
export function exportNow(
  options: AdministerOptions,
  names: Names,
  { to, clock, onProgress }: { to: string | Writable; clock: Clock; onProgress: OnProgress },
): Promise<ExportCounts> {
  demandCluster(options, {
    message: "No server database exists on this machine, so there is nothing to export.",
    hint: "Set MEM_DATABASE_URL to the server's.",
  });
  return withMigrated(options, async (database) => {
    const scope = await projectByNames(database.system, names);
    if (scope === undefined) throw noSuchProject(names);
    const run = (write: (text: string) => Promise<void>): Promise<ExportCounts> =>
      exportProject(database, { scope, names, product: version(), write, clock, onProgress });
    return typeof to === "string" ? toFile(to, run) : run(toStream(to));
  });
}

function noSuchProject({ team, project }: Names): MemError {
  return new MemError("not_found", {
    message: `No project named ${JSON.stringify(project)} in a team named ${JSON.stringify(team)}.`,
    hint: "Names are exact; `mem keys list` shows teams and projects that have keys.",
  });
}

/** Reads an export into the project; creates the project, and its team, if there is none of the name. */
export async function importNow(
  options: AdministerOptions,
  wished: Names,
  { from, onProgress }: { from: string | AsyncIterable<Uint8Array>; onProgress: OnProgress },
): Promise<Imported & ProjectScope> {
  const help = "See `mem server import --help`.";
  const team = parseName("team", wished.team, help);
  const name = parseName("project", wished.project, help);
  const lines = numberedLines(typeof from === "string" ? fromFile(from) : from);
  // First: a file that is not an export creates nothing.
  const header = await readHeader(lines);
  return withMigrated(options, async ({ system, app }) => {
    const { scope, isNewTeam, isNewProject } = await inTransaction(system, async (connection) => {
      const { id: team_id, isNew: isNewTeam } = await ensureNamedTeam(connection, team);
      const project = await ensureNamedProject(connection, { team_id, name });
      return { scope: { team_id, project_id: project.id }, isNewTeam, isNewProject: project.isNew };
    });
    try {
      return { ...scope, ...(await importProject(app, { lines, header, scope, onProgress })) };
    } catch (cause) {
      // A failed import removes what it created, unless the project has records by now.
      if (isNewProject && (await removeEmptyProject(system, scope, isNewTeam))) throw nothingKept(cause);
      throw cause;
    }
  });
}

function nothingKept(cause: unknown): MemError {
  const error = toMemError(cause);
  return new MemError(error.code, {
    message: error.message,
    hint: "Nothing was imported, and the new project was removed. Fix the file and import it again.",
    cause,
  });
}
