// The sources of an import: at a given path, or where they are found on this machine.
import { existsSync, statSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { MemError } from "../core/errors.ts";
import { hostAt, type Machine } from "../hosts/host-places.ts";
import { agentNamed } from "../hosts/registry.ts";
import { type DatabaseKind, databaseSource } from "./databases.ts";
import { transcriptKinds, transcriptsAt } from "./find-transcripts.ts";
import { basicMemorySource, mcpMemorySource } from "./note-files.ts";
import { type Source, unreadable, unreadableSource } from "./source.ts";

export interface Search {
  machine: Machine;
  now: number;
  /** Newest sessions at most; null for all. */
  limit: number | null;
  /** Where notes without a project go; null for the name of their source. */
  project: string | null;
}

type Finder = (path: string | undefined, search: Search) => Promise<Source[]>;

const finders: Readonly<Record<string, Finder>> = {
  ...Object.fromEntries(Object.keys(transcriptKinds).map((kind) => [kind, transcripts(kind)])),
  "claude-mem": database("claude-mem", { variable: "CLAUDE_MEM_DATA_DIR", folder: ".claude-mem" }),
  engram: database("engram", { variable: "ENGRAM_DATA_DIR", folder: ".engram" }),
  "mcp-memory": notes({ variable: "MEMORY_FILE_PATH", folder: null }, (path, { project }) =>
    mcpMemorySource(path, project ?? "mcp-memory"),
  ),
  "basic-memory": notes({ variable: "BASIC_MEMORY_HOME", folder: "basic-memory" }, (path, { project }) =>
    basicMemorySource(path, project ?? basename(path)),
  ),
};

/** Sources of a kind: at `path`, or at their usual place. Throws `not_found` where `path` leads to none. */
export async function sourcesOf(kind: string, path: string | undefined, search: Search): Promise<Source[]> {
  try {
    return (await finders[kind]?.(path, search)) ?? [];
  } catch (thrown) {
    throw unreadable({ kind, name: path ?? `The usual place of ${kind}` }, thrown);
  }
}

/** Everything at its usual place. */
export async function allSources(search: Search): Promise<Source[]> {
  return (await Promise.all(Object.keys(finders).map((kind) => usualSources(kind, search)))).flat();
}

/** At their usual place, which may be one that cannot be read. */
async function usualSources(kind: string, search: Search): Promise<Source[]> {
  try {
    return await sourcesOf(kind, undefined, search);
  } catch (thrown) {
    if (!(thrown instanceof MemError)) throw thrown;
    const { code, message, hint } = thrown;
    if (code === "import_unreadable") return [unreadableSource({ kind, name: kind }, thrown)];
    // Where the host keeps its files is not known.
    if (code !== "host_settings_unreadable") throw thrown;
    const why = new MemError("import_unreadable", {
      message: `${kind}: ${message}`,
      ...(hint === undefined ? {} : { hint }),
      cause: thrown,
    });
    return [unreadableSource({ kind, name: kind }, why)];
  }
}

function transcripts(name: string): Finder {
  return async (path, { machine, now, limit }) => {
    if (path !== undefined) return transcriptsAt(name, resolve(path), { now, limit });
    const kind = transcriptKinds[name];
    if (kind === undefined) return [];
    const { place } = hostAt(machine, agentNamed(kind.host));
    const folders = kind.folders.map((folder) => resolve(place.folder, folder));
    return transcriptsAt(name, folders, { now, limit, mayBeAbsent: true });
  };
}

/** Where a product keeps its files: the variable that names the place, and the folder in the home directory. */
interface Place {
  variable: string;
  folder: string | null;
}

function placeOf({ variable, folder }: Place, { environment, home }: Machine): string | null {
  const named = environment[variable] ?? "";
  if (named !== "") return resolve(named);
  return folder === null || !isAbsolute(home) ? null : join(home, folder);
}

/** The database at a path, or the one in a folder. */
function database(kind: DatabaseKind, place: Place): Finder {
  return notes(place, (path) => {
    const file = statSync(path).isDirectory() ? join(path, `${kind}.db`) : path;
    return existsSync(file) ? databaseSource(kind, file) : null;
  });
}

function notes(place: Place, sourceAt: (path: string, search: Search) => Source | null): Finder {
  return async (given, search) => {
    const path = given === undefined ? placeOf(place, search.machine) : resolve(given);
    const source = path === null || !existsSync(path) ? null : sourceAt(path, search);
    if (source !== null) return [source];
    if (given === undefined) return [];
    throw new MemError("not_found", {
      message: `Nothing to import is at ${given}.`,
      hint: "Name a file or directory that is there. `mem import auto --print` lists what is found without a name.",
    });
  };
}
