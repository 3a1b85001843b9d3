// Registers entries of ours in a JSON file of a host and removes them, with a record that makes removal exact.
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { type Edited, type Insertion, withoutInsertions } from "./json-text.ts";

/** A registration as kept in installs.json; uninstalling works from it. */
export interface InstallRecord {
  /** The hooks, or the MCP server, which is in another file. */
  kind: "hooks" | "mcp";
  host: string;
  settings_file: string;
  /** False if we made the file. */
  file_existed: boolean;
  /** The text of a file that was blank before, else null. */
  blank_text: string | null;
  /** Folders made for the file, the outermost first. */
  made_folders: string[];
  /** Hash of the text that we left: while it matches, removing the insertions restores the file exactly. */
  written_key: string;
  insertions: Insertion[];
  /** Members that we created, such as `hooks` and events. */
  created: string[];
  commands: string[];
}

export interface InstallPlan {
  /** The new text of the file; null to remove the file. */
  after: string | null;
  /** Null when nothing of ours is left. */
  record: InstallRecord | null;
}

/** Entries of ours in one file. */
export interface Registration {
  kind: InstallRecord["kind"];
  host: string;
  file: string;
  /** The present text, null when there is no file. */
  before: string | null;
  /** Of an earlier registration in the same file. */
  earlier: InstallRecord | undefined;
  /** Our entries in the text. */
  present(text: string): readonly string[];
  /** The text without our entries. */
  remove(text: string): string;
}

/** The text of a new file. */
const emptySettings = "{}\n";

/** True for a text without content: hosts read it as no settings. An interrupted editor leaves one. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The file with `entries` registered by `insert`; unchanged if they are. Throws `host_settings_unreadable`. */
export function planRegistration(
  registration: Registration,
  entries: readonly string[],
  insert: (edited: Edited) => void,
): InstallPlan {
  const { kind, host, file, before, earlier } = registration;
  return readable(file, () => {
    const present = before === null ? [] : registration.present(before);
    if (earlier !== undefined && sameMembers(present, entries)) return { after: before, record: earlier };
    const clean = planRemoval(registration).after;
    const blank = clean !== null && isBlank(clean) ? clean : null;
    const edited: Edited = {
      text: clean === null || blank !== null ? emptySettings : clean,
      insertions: [],
      created: [],
    };
    insert(edited);
    const { text, ...edits } = edited;
    const record: InstallRecord = {
      kind,
      host,
      settings_file: file,
      file_existed: clean !== null,
      blank_text: blank,
      made_folders: earlier?.made_folders ?? [],
      written_key: contentKey(text),
      ...edits,
      commands: [...entries],
    };
    return { after: text, record };
  });
}

/** The file without our entries: byte for byte as before, if nothing else changed since. */
export function planRemoval({ file, before, earlier, remove }: Registration): InstallPlan {
  if (before === null) return { after: null, record: null };
  const after = readable(file, () => {
    const isUntouched = earlier?.written_key === contentKey(before);
    const original = isUntouched ? withoutInsertions(before, earlier.insertions) : null;
    if (earlier === undefined || original === null) return remove(before);
    return earlier.file_existed ? (earlier.blank_text ?? original) : null;
  });
  return { after, record: null };
}

/** The record with folders that were made for the file. */
export function withFolders(record: InstallRecord | null, made: readonly string[]): InstallRecord | null {
  return record && { ...record, made_folders: [...record.made_folders, ...made] };
}

function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && right.every((one) => left.includes(one));
}

/** The result of `run`; a syntax error is reported as `host_settings_unreadable`. */
export function readable<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new MemError("host_settings_unreadable", {
      message: `${file} cannot be read as settings (${cause.message}), so it was not changed.`,
      cause,
    });
  }
}
