// Registers entries of ours in a file of a host and removes them, with a record that makes removal exact.
import { isDeepStrictEqual } from "node:util";
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { homePath } from "../core/paths.ts";
import { isJsonObject } from "../text/json.ts";
import {
  hasExactly,
  isComplete,
  isShared,
  ourValues,
  ownEntries,
  unshared,
  valueAt,
  withUserFields,
} from "./entry-values.ts";
import type { EditedFile, Entry, HostFile } from "./integration.ts";
import {
  addJsonEntry,
  type SetMember,
  setJsonMember,
  withoutJsonEntries,
  withValuesBefore,
} from "./json-entries.ts";
import {
  type Edited,
  type Insertion,
  parseJson,
  withoutInsertions,
  withoutMovedInsertions,
} from "./json-text.ts";
import { addTomlEntry, parseToml, withoutTomlEntries } from "./toml-text.ts";

/** What mem changed in one file, as kept in installs.json; uninstalling works from it. */
export interface InstallRecord {
  host: string;
  /** The folder of the host; null in records of earlier versions. */
  folder: string | null;
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
  /** Paths of the containers that we created. */
  created: string[][];
  /** The anonymous members that we set; null in records of earlier versions. */
  members: SetMember[] | null;
}

/** The kinds of entries in a file. */
export type Part = "hooks" | "mcp";

export interface PlanRequest {
  host: string;
  folder: string;
  file: HostFile;
  /** The present text, null when there is no file. */
  before: string | null;
  /** Of an earlier registration in the same file. */
  earlier: InstallRecord | undefined;
  /** The parts to register; the others are removed. */
  parts: ReadonlySet<Part>;
}

export interface InstallPlan {
  /** The new text of the file; null for no file. */
  after: string | null;
  /** Null when nothing of ours is left. */
  record: InstallRecord | null;
}

/** How many entries of a part are registered: as this version writes them, or as another one. */
export interface Registered {
  wanted: number;
  exact: number;
  other: number;
  /** The values found. */
  values: unknown[];
}

/**
 * The file with the entries of the parts and none besides; unchanged if it is so. Without parts it is byte for byte as it
 * was before, if nothing else changed since. Throws `host_settings_unreadable`, `conflict`.
 */
export function planFile(request: PlanRequest): InstallPlan {
  const { file } = request;
  return readable(file.path, () =>
    file.syntax === "own" ? planOwnFile(request, file) : planEdit(request, file),
  );
}

/** The state of a part in the text of the file. Throws `host_settings_unreadable`. */
export function registered(file: HostFile, text: string | null, part: Part): Registered {
  if (file.syntax === "own") {
    const wanted = part === "hooks" ? 1 : 0;
    const isOurs = wanted === 1 && text !== null && file.isOurs(text);
    const exact = isOurs && text === file.text ? 1 : 0;
    return { wanted, exact, other: isOurs ? 1 - exact : 0, values: [] };
  }
  const entries = (file[part] ?? []).filter(
    ({ shared, unwanted, grants, key }) =>
      !shared && !unwanted && (grants === undefined || key !== undefined),
  );
  return readable(file.path, () => {
    const value = parseText(file, text);
    const values = ourValues(value, ownEntries(file, value, entries));
    if (values.length === 0) return { wanted: entries.length, exact: 0, other: 0, values };
    const exact = entries.filter((entry) => hasExactly(value, entry)).length;
    return { wanted: entries.length, exact, other: Math.max(0, values.length - exact), values };
  });
}

/** The value of the text; an empty object for a blank or missing one. Throws `SyntaxError`. */
export function parseText({ syntax }: EditedFile, text: string | null): unknown {
  if (text === null || isBlank(text)) return {};
  return syntax === "toml" ? parseToml(text) : parseJson(text, syntax);
}

function planOwnFile({ host, folder, before, parts, earlier }: PlanRequest, file: HostFile): InstallPlan {
  if (file.syntax !== "own") throw new MemError("internal");
  const isOurs = before !== null && (file.isOurs(before) || earlier?.written_key === contentKey(before));
  if (!parts.has("hooks")) return { after: isOurs ? null : before, record: null };
  if (before !== null && !isOurs) {
    throw new MemError("conflict", {
      message: `${homePath(file.path)} exists and is not from mem, so it was not changed.`,
      hint: "Move the file away, then run `mem install` again.",
    });
  }
  const record = recordOf({ host, folder, file: file.path, earlier, text: file.text });
  return { after: file.text, record: { ...record, file_existed: false } };
}

function planEdit(request: PlanRequest, file: EditedFile): InstallPlan {
  const { host, folder, before, earlier, parts } = request;
  const value = parseText(file, before);
  const all = ownEntries(file, value, [...(file.hooks ?? []), ...(file.mcp ?? [])], earlier?.members);
  const planned = [...parts].flatMap((part) => file[part] ?? []).filter(({ unwanted }) => unwanted !== true);
  if (earlier !== undefined && planned.length > 0 && isComplete(value, planned, all))
    return { after: before, record: earlier };
  const wanted = planned.map((entry) => withUserFields(entry, value));
  const clean = withoutEntries(file, before, { entries: all, earlier });
  if (wanted.length === 0) return { after: clean, record: null };
  const blank = clean !== null && isBlank(clean) ? clean : null;
  const start = clean === null || blank !== null ? (file.syntax === "toml" ? "" : emptyJson) : clean;
  const { edited, created, members } = withEntries(file, start, wanted);
  const record = {
    ...recordOf({ host, folder, file: file.path, earlier, text: edited.text }),
    file_existed: clean !== null,
    blank_text: blank,
    insertions: edited.insertions,
    created,
    members,
  };
  demandExact(file, { start, after: edited.text, wanted, record });
  return { after: edited.text, record };
}

interface WithEntries {
  edited: Edited;
  /** Paths of the containers that were created. */
  created: string[][];
  members: SetMember[];
}

function withEntries(file: EditedFile, start: string, wanted: readonly Entry[]): WithEntries {
  const value = parseText(file, start);
  demandFree(file, value, wanted);
  const done: WithEntries = { edited: { text: start, insertions: [] }, created: [], members: [] };
  const { edited, created, members } = done;
  for (const entry of wanted) {
    const { path, key = "", anonymous } = entry;
    if (isShared(value, entry) || (anonymous === true && hasExactly(value, entry))) continue;
    const before = anonymous && file.syntax !== "toml" ? setJsonMember(edited, entry, file.syntax) : null;
    if (anonymous === true) members.push({ path: [...path, key], before });
    if (before !== null) continue;
    created.push(
      ...(file.syntax === "toml" ? addTomlEntry(edited, entry) : addJsonEntry(edited, entry, file.syntax)),
    );
  }
  return done;
}

/** The text of a new file. */
const emptyJson = "{}\n";

/** True for a text without content: hosts read it as no settings. An interrupted editor leaves one. */
function isBlank(text: string): boolean {
  return text.trim() === "";
}

interface RecordRequest extends Pick<PlanRequest, "host" | "folder" | "earlier"> {
  file: string;
  text: string;
}

function recordOf({ host, folder, file, earlier, text }: RecordRequest): InstallRecord {
  return {
    host,
    folder,
    settings_file: file,
    file_existed: true,
    blank_text: null,
    made_folders: earlier?.made_folders ?? [],
    written_key: contentKey(text),
    insertions: [],
    created: [],
    members: [],
  };
}

interface Removal {
  entries: readonly Entry[];
  earlier: InstallRecord | undefined;
}

// Null for a file that we made and that has nothing else.
function withoutEntries(
  file: EditedFile,
  before: string | null,
  { entries, earlier }: Removal,
): string | null {
  if (before === null) return null;
  const original = originalOf(earlier?.written_key === contentKey(before) ? before : null, earlier);
  if (original !== undefined) return original;
  if (isBlank(before)) return before;
  const wasCreated = (path: readonly string[]): boolean =>
    earlier === undefined || earlier.created.some((one) => isDeepStrictEqual(one, path));
  const { syntax } = file;
  const changed = (earlier?.members ?? []).filter((member) => member.before !== null);
  const added = entries.filter(
    ({ path, key = "" }) => !changed.some((one) => isDeepStrictEqual(one.path, [...path, key])),
  );
  const left =
    syntax === "toml"
      ? withoutTomlEntries(before, added)
      : withoutJsonEntries(withValuesBefore(before, changed, syntax), added, { syntax, wasCreated });
  const value = unshared(parseText(file, left), entries);
  const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
  if (earlier?.file_existed === false && isEmpty) return /[#/]/.test(left) ? left : null;
  // Where our texts are still there, taking them out keeps more of the form than editing.
  const exact = earlier === undefined ? null : withoutMovedInsertions(before, earlier.insertions);
  const isSame = (text: string) => isDeepStrictEqual(unshared(parseText(file, text), entries), value);
  return exact !== null && readsAs(exact, isSame) ? exact : left;
}

function readsAs(text: string, isSame: (text: string) => boolean): boolean {
  try {
    return isSame(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

// The text before our changes, if `text` is as we left it.
function originalOf(text: string | null, earlier: InstallRecord | undefined): string | null | undefined {
  if (text === null || earlier === undefined) return undefined;
  const original = withoutInsertions(text, earlier.insertions);
  if (original === null) return undefined;
  return earlier.file_existed ? (earlier.blank_text ?? original) : null;
}

function demandFree(file: EditedFile, value: unknown, wanted: readonly Entry[]): void {
  for (const { path, key, shared, anonymous } of wanted) {
    if (shared === true || anonymous === true) continue;
    const container = valueAt(value, path);
    if (key === undefined || !isJsonObject(container) || container[key] === undefined) continue;
    throw new MemError("conflict", {
      message: `${homePath(file.path)} has another ${key} in ${path.join(".")}, so ours was not registered.`,
      hint: "Rename the other one, then run the command again.",
    });
  }
}

interface Made {
  start: string;
  after: string;
  wanted: readonly Entry[];
  record: InstallRecord;
}

// Whatever form the text has: with our entries out again it must say the same as before, and be the same.
function demandExact(file: EditedFile, { start, after, wanted, record }: Made): void {
  const value = parseText(file, after);
  const unsharedOf = (of: unknown) => unshared(of, wanted);
  const own = ownEntries(file, value, wanted, record.members);
  const left = withoutEntries(file, `${after}\n`, {
    entries: own,
    earlier: { ...record, file_existed: true },
  });
  const isExact =
    isComplete(value, wanted, own) &&
    withoutInsertions(after, record.insertions) === start &&
    isDeepStrictEqual(unsharedOf(parseText(file, left)), unsharedOf(parseText(file, start)));
  if (!isExact) throw new SyntaxError("it is written in a form that mem cannot edit safely");
}

/** The result of `run`; a syntax error is reported as `host_settings_unreadable`. */
function readable<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof Error) || !["SyntaxError", "RangeError"].includes(cause.name)) throw cause;
    const reason = cause.name === "RangeError" ? "it is nested too deeply" : cause.message;
    throw new MemError("host_settings_unreadable", {
      message: `${homePath(file)} cannot be read as settings: ${reason}.`,
      hint: "The file was not changed. Fix it, then run the command again.",
      cause,
    });
  }
}
