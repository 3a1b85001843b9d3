// What `mem server export` and `mem server import` do on the server's host. The database is the permission.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import { MemError, toMemError } from "../core/errors.ts";
import type { ProjectScope } from "../core/records/tenancy.ts";
import { version } from "../core/version.ts";
import { migrateServer } from "../store/postgres/migrate.ts";
import type { Connections } from "../store/postgres/open.ts";
import { removeEmptyProject } from "../store/postgres/teams.ts";
import { inTransaction } from "../store/postgres/tenant.ts";
import { projectByNames, type TransferCounts } from "../store/postgres/transfer-read.ts";
import { type AdministerOptions, withDatabase } from "./administer.ts";
import { ensureNamedProject, ensureNamedTeam } from "./ensure-home.ts";
import { labelOf } from "./key-ports.ts";
import { exportProject } from "./transfer-export.ts";
import { fromFile, toFile, toStream } from "./transfer-file.ts";
import { type Imported, importProject, readHeader } from "./transfer-import.ts";
import { numberedLines } from "./transfer-lines.ts";

export interface Names {
  team: string;
  project: string;
}

interface Told {
  clock: Clock;
  /** Records done, and all there are. */
  onProgress(done: number, all: number): void;
}

/** Writes the project to a file, or to a stream. Throws `not_found` where there is no such project. */
export function exportNow(
  options: AdministerOptions,
  names: Names,
  { to, ...told }: Told & { to: string | Writable },
): Promise<TransferCounts> {
  demandServer(options);
  return withDatabase(options, async (database) => {
    await migrateServer(database.owner, version());
    const scope = await projectByNames(database.system, names);
    if (scope === undefined) throw noSuchProject(names);
    const run = (write: (text: string) => Promise<void>): Promise<TransferCounts> =>
      exportProject(database, { scope, names, product: version(), write, ...told });
    return typeof to === "string" ? toFile(to, run) : run(toStream(to));
  });
}

/** Reads an export into the project, which is made when there is none of the name, and its team too. */
export async function importNow(
  options: AdministerOptions,
  wished: Names,
  { from, onProgress }: Omit<Told, "clock"> & { from: string | AsyncIterable<Uint8Array> },
): Promise<Imported & ProjectScope> {
  const names = { team: nameOf("team", wished.team), project: nameOf("project", wished.project) };
  const lines = numberedLines(typeof from === "string" ? fromFile(from) : from);
  // Before anything is made: what is no export leaves no trace.
  const header = await readHeader(lines);
  return withDatabase(options, async ({ owner, system, app }) => {
    await migrateServer(owner, version());
    const { scope, made } = await ensureBoth(system, names);
    try {
      return { ...scope, ...(await importProject(app, { lines, header, scope, onProgress })) };
    } catch (cause) {
      // Failed, it leaves nothing behind that it made, unless something stands in it.
      if (made.project && (await removeEmptyProject(system, scope, made.team))) throw nothingKept(cause);
      throw cause;
    }
  });
}

interface Home {
  scope: ProjectScope;
  /** What was not there before. */
  made: { team: boolean; project: boolean };
}

function ensureBoth(system: Connections, names: Names): Promise<Home> {
  return inTransaction(system, async (connection) => {
    const team = await ensureNamedTeam(connection, names.team);
    const project = await ensureNamedProject(connection, { team_id: team.id, name: names.project });
    return {
      scope: { team_id: team.id, project_id: project.id },
      made: { team: team.made, project: project.made },
    };
  });
}

function nothingKept(cause: unknown): MemError {
  const error = toMemError(cause);
  return new MemError(error.code, {
    message: error.message,
    hint: "Nothing was imported, and the project was not kept. Mend the file and run it again.",
    cause,
  });
}

// A cluster that is made only to be found empty would take seconds and 40 MB.
function demandServer({ settings, server }: AdministerOptions): void {
  if (server.get("MEM_DATABASE_URL").isSet) return;
  if (existsSync(join(settings.dataDir, "postgres", "cluster", "PG_VERSION"))) return;
  throw new MemError("not_found", {
    message: "No server has a database here, so there is nothing to export.",
    hint: "Set MEM_DATABASE_URL to the server's.",
  });
}

function noSuchProject({ team, project }: Names): MemError {
  return new MemError("not_found", {
    message: `There is no project ${JSON.stringify(project)} of a team ${JSON.stringify(team)}.`,
    hint: "Names are exact; `mem keys list` shows teams and projects that have keys.",
  });
}

const maxNameChars = 200;

function nameOf(what: string, text: string): string {
  const name = labelOf(text);
  if (name !== "" && name.length <= maxNameChars) return name;
  throw new MemError("usage", {
    message: `The name of the ${what} must have 1 to ${maxNameChars} characters.`,
    hint: "See `mem server import --help`.",
  });
}
