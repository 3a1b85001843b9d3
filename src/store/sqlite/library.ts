// Loads SQLite and opens its files. Nothing else imports the package's values, so that one version runs in a process.
import { createRequire } from "node:module";
import { dirname } from "node:path";
import Current from "better-sqlite3";
import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { compileOlder, olderSqlite, refusedNode } from "../../core/node-api.ts";
import { packageFile } from "../../core/paths.ts";
import { inShell } from "../../text/in-shell.ts";

/** The class of a connection; its errors are of `Database.SqliteError`. `openFile` says why it cannot be loaded. */
export const Database: typeof Current = load();

function load(): typeof Current {
  const [older, refusal] = [olderSqlite(), refusedNode()];
  if (older === null) return Current;
  if (refusal === null) return createRequire(import.meta.url)(older);
  return new Proxy(Current, {
    construct() {
      throw new MemError("worker_not_ready", refusal);
    },
  });
}

/** Throws SQLite's error, or `worker_not_ready` when this Node cannot load SQLite. */
export function openFile(path: string | Buffer, options: Current.Options = {}): Current.Database {
  try {
    return new Database(path, options);
  } catch (cause) {
    throw isNotLoaded(cause) ? noBinary(cause) : cause;
  }
}

/** Opens a file for reading. Throws `not_found`, in the caller's words, for one that cannot be opened. */
export function openToRead(
  path: string,
  toFail: (reason: string) => { message: string; hint: string },
): Current.Database {
  try {
    return openFile(path, { readonly: true, fileMustExist: true, timeout: 1_000 });
  } catch (cause) {
    if (cause instanceof MemError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MemError("not_found", { ...toFail(reason), cause });
  }
}

// Version 13 requires its binary, version 12 looks for it.
function isNotLoaded(cause: unknown): cause is Error {
  if (!(cause instanceof Error) || cause instanceof Database.SqliteError) return false;
  const isMissing = cause.message.startsWith("Could not locate the bindings file");
  return isMissing || /^(ERR_DLOPEN_FAILED|MODULE_NOT_FOUND)$/.test(codeOf(cause));
}

function noBinary(cause: Error): MemError {
  const [reason = ""] = cause.message.split("\n");
  // Another message names only what was looked for, or a version of the interface.
  const why = reason.includes(".node: ") ? ` that loads (${reason})` : "";
  const manifest = createRequire(packageFile("package.json")).resolve("better-sqlite3/package.json");
  const compile = `npm run build-release --prefix ${inShell(dirname(manifest))}`;
  return new MemError("worker_not_ready", {
    message: `SQLite (better-sqlite3) has no binary for ${process.platform}-${process.arch}${why}.`,
    hint: `${olderSqlite() === null ? `Install mem again, or compile one: \`${compile}\`` : `Run \`${compileOlder()}\``}. That needs python3, make and a C++ compiler.`,
  });
}
