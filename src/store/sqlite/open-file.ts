// Opens one SQLite file; names the way out when SQLite itself cannot be loaded.
import { createRequire } from "node:module";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { packageFile } from "../../core/paths.ts";

/**
 * Throws SQLite's error, or `worker_not_ready` when npm installed no SQLite for this Node: without a compiler, with
 * `--ignore-scripts`, or before Node was updated.
 */
export function openFile(path: string | Buffer, options: Database.Options = {}): Database.Database {
  try {
    return new Database(path, options);
  } catch (cause) {
    // Its message lists only the places where it was looked for.
    throw isNotLoaded(cause) ? noSqlite() : cause;
  }
}

/** Opens a file for reading. Throws `not_found`, in the caller's words, for one that cannot be opened. */
export function openToRead(
  path: string,
  toFail: (reason: string) => { message: string; hint: string },
): Database.Database {
  try {
    return openFile(path, { readonly: true, fileMustExist: true, timeout: 1_000 });
  } catch (cause) {
    if (cause instanceof MemError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MemError("not_found", { ...toFail(reason), cause });
  }
}

function isNotLoaded(cause: unknown): boolean {
  if (!(cause instanceof Error) || cause instanceof Database.SqliteError) return false;
  const isForOther = codeOf(cause) === "ERR_DLOPEN_FAILED";
  return isForOther || cause.message.startsWith("Could not locate the bindings file");
}

function noSqlite(): MemError {
  const { version, platform, arch } = process;
  return new MemError("worker_not_ready", {
    message: `SQLite (better-sqlite3) is not installed for this Node, ${version} on ${platform}-${arch}.`,
    hint: `Run \`npm rebuild --prefix ${inShell(installedIn())} --ignore-scripts=false better-sqlite3\`. Where it cannot download a prebuilt binary, that needs python3, make and a C++ compiler.`,
  });
}

/** The directory whose node_modules has it: of mem, or of a project or npx's cache that has mem too. */
function installedIn(): string {
  const manifest = createRequire(packageFile("package.json")).resolve("better-sqlite3/package.json");
  return dirname(dirname(dirname(manifest)));
}

function inShell(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
