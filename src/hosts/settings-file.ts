// A host's settings file: read as it is, replaced whole, with its mode kept and a link to it left in place.
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
import { failOpenSync, MemError } from "../core/errors.ts";

/** The text of the file, null when there is none. Throws `host_settings_unreadable`. */
export function readSettingsFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw unusable(path, "cannot be read", cause);
  }
}

/**
 * Replaces `before` by `after`, null standing for no file. People keep settings in a repository and link to them: the
 * file behind the link is replaced. The folders that had to be made for it, the outermost first. Throws
 * `host_settings_unreadable` when the file is not `before` any more.
 */
export function replaceSettingsFile(path: string, before: string | null, after: string | null): string[] {
  if (before === after) return [];
  try {
    const target = targetOf(path);
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

/** Removes folders that were made for a settings file, as far as nothing lies in them; the outermost comes first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  failOpenSync("remove a folder that was made for settings", () => {
    for (const folder of folders.toReversed()) rmdirSync(folder);
  });
}

// A link whose target is missing is followed too: the target is what gets made.
function targetOf(path: string): string {
  const real = failOpenSync("resolve a link", () => realpathSync(path));
  if (real !== undefined) return real;
  const isLink = failOpenSync("look at a link", () => lstatSync(path).isSymbolicLink()) ?? false;
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
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

// The host writes to it as well.
function demandUnchanged(path: string, before: string | null): void {
  if (readSettingsFile(path) === before) return;
  throw new MemError("host_settings_unreadable", {
    message: `${path} changed while it was being worked on, so it was left as it is.`,
    hint: "Run the command again.",
  });
}

function unusable(path: string, what: string, cause: unknown): MemError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new MemError("host_settings_unreadable", {
    message: `${path} ${what}${reason}.`,
    hint: "Nothing was changed.",
    cause,
  });
}
