// Reads and replaces a host's settings file; keeps its mode and a link to it.
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { makeDirectories } from "../core/directory.ts";
import { codeOf } from "../core/error-code.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { homePath } from "../core/paths.ts";

/** The text of the file, null when there is none. Throws `host_settings_unreadable`. */
export function readSettingsFile(path: string): string | null {
  try {
    return strictUtf8.decode(readFileSync(path));
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return null;
    throw unusable(path, "cannot be read", cause);
  }
}

// Other bytes would become replacement characters and be written back so. The byte order mark stays in the text.
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Replaces the text `before` by `after`; null means no file. Behind a link, the target is replaced: people link to
 * settings in a repository. Returns the folders it made, the outermost first. Throws `host_settings_unreadable` if the
 * file no longer is `before`.
 */
export function replaceSettingsFile(path: string, before: string | null, after: string | null): string[] {
  if (before === after) return [];
  try {
    const target = targetOf(path);
    if (before !== null) demandWritable(path, target);
    if (after === null) {
      demandUnchanged(path, before);
      rmSync(target);
      return [];
    }
    const made = makeDirectories(dirname(target));
    const beside = `${target}.${process.pid}.mem`;
    try {
      writeDurably(beside, after, before === null ? 0o600 : statSync(target).mode & 0o777);
      demandUnchanged(path, before);
      renameSync(beside, target);
      return made;
    } catch (cause) {
      failOpenSync("remove an unfinished file", () => rmSync(beside, { force: true }));
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof MemError ? cause : unusable(path, "cannot be written", cause);
  }
}

/** Removes folders made for a settings file, unless they have other content; the outermost comes first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  failOpenSync("remove a folder that was made for settings", () => {
    for (const folder of folders.toReversed()) rmdirSync(folder);
  });
}

// Also follows a link whose target is missing: the target is created.
function targetOf(path: string): string {
  const real = failOpenSync("resolve a link", () => realpathSync(path));
  if (real !== undefined) return real;
  const isLink = failOpenSync("look at a link", () => lstatSync(path).isSymbolicLink()) ?? false;
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
}

// Renaming a file over it needs no right to write it: what the user has protected stays so.
function demandWritable(path: string, target: string): void {
  if ((statSync(target).mode & 0o222) !== 0) return;
  throw new MemError("host_settings_unreadable", {
    message: `${homePath(path)} is read-only, so it was not changed.`,
    hint: `Make it writable, then run the command again: \`chmod u+w '${target}'\`.`,
  });
}

function writeDurably(path: string, text: string, mode: number): void {
  const descriptor = openSync(path, "wx", mode);
  try {
    writeFileSync(descriptor, text);
    if (process.platform !== "win32") fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

// The host writes to the file too.
function demandUnchanged(path: string, before: string | null): void {
  if (readSettingsFile(path) === before) return;
  throw new MemError("host_settings_unreadable", {
    message: `${homePath(path)} changed in the meantime, so it was not written.`,
    hint: "Run the command again.",
  });
}

function unusable(path: string, what: string, cause: unknown): MemError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new MemError("host_settings_unreadable", {
    message: `${homePath(path)} ${what}${reason}.`,
    hint: "The file was not changed.",
    cause,
  });
}
