// Registers entries of ours in a file of a host and removes them, with a record that makes removal exact.
import { isDeepStrictEqual } from "node:util";
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import type { EditedFile, Entry, HostFile } from "./integration.ts";
import { addJsonEntry, withoutJsonEntries } from "./json-entries.ts";
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
  const entries = (file[part] ?? []).filter(({ shared }) => shared !== true);
  return readable(file.path, () => {
    const value = parseText(file, text);
    const values = ourValues(value, entries);
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
      message: `${file.path} exists and is not from mem, so it was not changed.`,
      hint: "Move the file away, then run `mem install` again.",
    });
  }
  const record = recordOf({ host, folder, file: file.path, earlier, text: file.text });
  return { after: file.text, record: { ...record, file_existed: false } };
}

function planEdit(request: PlanRequest, file: EditedFile): InstallPlan {
  const { host, folder, before, earlier, parts } = request;
  const all = [...(file.hooks ?? []), ...(file.mcp ?? [])];
  const value = parseText(file, before);
  const planned = [...parts].flatMap((part) => file[part] ?? []);
  if (earlier !== undefined && isComplete(value, planned, all)) return { after: before, record: earlier };
  const wanted = planned.map((entry) => withUserFields(entry, value));
  const clean = withoutEntries(file, before, { entries: all, earlier });
  if (wanted.length === 0) return { after: clean, record: null };
  const blank = clean !== null && isBlank(clean) ? clean : null;
  const start = clean === null || blank !== null ? (file.syntax === "toml" ? "" : emptyJson) : clean;
  demandFree(file, parseText(file, start), wanted);
  const edited: Edited = { text: start, insertions: [] };
  const missing = wanted.filter((entry) => !isShared(parseText(file, start), entry));
  const created = missing.flatMap((entry) =>
    file.syntax === "toml" ? addTomlEntry(edited, entry) : addJsonEntry(edited, entry, file.syntax),
  );
  const record = {
    ...recordOf({ host, folder, file: file.path, earlier, text: edited.text }),
    file_existed: clean !== null,
    blank_text: blank,
    insertions: edited.insertions,
    created,
  };
  demandExact(file, { start, after: edited.text, wanted, record });
  return { after: edited.text, record };
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
  const left =
    syntax === "toml"
      ? withoutTomlEntries(before, entries)
      : withoutJsonEntries(before, entries, { syntax, wasCreated });
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

// The value without the members that others use too.
function unshared(value: unknown, entries: readonly Entry[]): unknown {
  if (!isJsonObject(value)) return value;
  const isLeft = (name: string) => entries.every(({ key, shared }) => shared !== true || key !== name);
  return Object.fromEntries(Object.entries(value).filter(([name]) => isLeft(name)));
}

// The text before our changes, if `text` is as we left it.
function originalOf(text: string | null, earlier: InstallRecord | undefined): string | null | undefined {
  if (text === null || earlier === undefined) return undefined;
  const original = withoutInsertions(text, earlier.insertions);
  if (original === null) return undefined;
  return earlier.file_existed ? (earlier.blank_text ?? original) : null;
}

// Every wanted entry is there as it should be, and nothing else of ours.
function isComplete(value: unknown, wanted: readonly Entry[], all: readonly Entry[]): boolean {
  return (
    wanted.every((entry) => isShared(value, entry) || hasExactly(value, entry)) &&
    ourValues(value, all).length === wanted.filter(({ shared }) => shared !== true).length
  );
}

function isShared(value: unknown, { key = "", shared }: Entry): boolean {
  return shared === true && isJsonObject(value) && key in value;
}

// The entry with what the user changed in the present one, besides the fields that mem sets.
function withUserFields({ fields, ...entry }: Entry, value: unknown): Entry {
  const { path, key = "", value: wanted, isOurs } = entry;
  const present = valueAt(value, [...path, key]);
  if (fields === undefined || !isJsonObject(wanted) || !isJsonObject(present) || !isOurs(present))
    return entry;
  return { ...entry, value: { ...wanted, ...present, ...fieldsOf(wanted, fields) } };
}

function fieldsOf(value: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name)));
}

function hasExactly(value: unknown, { path, key, fields, value: expected }: Entry): boolean {
  const container = valueAt(value, path);
  if (key !== undefined) {
    const member = isJsonObject(container) ? container[key] : undefined;
    if (fields === undefined || !isJsonObject(expected)) return isDeepStrictEqual(member, expected);
    return isJsonObject(member) && isDeepStrictEqual(fieldsOf(member, fields), fieldsOf(expected, fields));
  }
  return Array.isArray(container) && container.some((element) => isDeepStrictEqual(element, expected));
}

/** Our values in the containers of the entries, of any version. Elements of groups are returned themselves. */
function ourValues(value: unknown, entries: readonly Entry[]): unknown[] {
  const found = new Set<unknown>();
  const texts: unknown[] = [];
  const add = (one: unknown) => (typeof one === "object" ? found.add(one) : texts.push(one));
  const seen = new Set<unknown>();
  for (const { path, key, group, isOurs } of entries) {
    if (key !== undefined) {
      const container = valueAt(value, path);
      const member = isJsonObject(container) ? container[key] : undefined;
      if (member !== undefined && isOurs(member)) add(member);
      continue;
    }
    // An earlier version may have used other names of events.
    const outer = valueAt(value, path.slice(0, -1));
    if (seen.has(outer)) continue;
    seen.add(outer);
    const lists = isJsonObject(outer) ? Object.values(outer).filter(Array.isArray) : [];
    for (const element of lists.flat()) {
      const inner = group === undefined ? [element] : isJsonObject(element) ? element[group] : [];
      for (const one of Array.isArray(inner) ? inner : []) if (isOurs(one)) add(one);
    }
  }
  return [...found, ...texts];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), value);
}

function demandFree(file: EditedFile, value: unknown, wanted: readonly Entry[]): void {
  for (const { path, key, shared } of wanted) {
    if (shared === true) continue;
    const container = valueAt(value, path);
    if (key === undefined || !isJsonObject(container) || container[key] === undefined) continue;
    throw new MemError("conflict", {
      message: `${file.path} has another ${key} in ${path.join(".")}, so ours was not registered.`,
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
  const own = (of: unknown) => unshared(of, wanted);
  const left = withoutEntries(file, `${after}\n`, {
    entries: wanted,
    earlier: { ...record, file_existed: true },
  });
  const isExact =
    isComplete(value, wanted, wanted) &&
    withoutInsertions(after, record.insertions) === start &&
    isDeepStrictEqual(own(parseText(file, left)), own(parseText(file, start)));
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
      message: `${file} cannot be read as settings (${reason}), so it was not changed.`,
      cause,
    });
  }
}
