// The strings of a JSON value as one text, in order, and back.
import type { Json, JsonObject } from "../text/json.ts";
import type { Scope } from "./private-tags.ts";
import { saysSecret } from "./secrets.ts";

export interface Leaves {
  texts: readonly string[];
  /** By leaf: the name it stands under, if that says that it may be a secret. */
  keys: readonly (string | undefined)[];
  /**
   * By leaf: the leaves that a tag in it hides when nothing closes the tag. The scope is its array or object; for an item
   * with one text (a numbered line, a block of text) the array of such items.
   */
  scopes: readonly Scope[];
  /**
   * Leaves of arrays of objects by name, where others stand between them: `[{ file, text }, ...]` is a list of files and a
   * text. An object of nothing but objects and arrays is such a list, whatever its names.
   */
  columns: readonly (readonly number[])[];
  /** Every name of a member, and whether it says that what stands under it may be a secret. */
  names: ReadonlyMap<string, boolean>;
}

/** `key` is the name that the value itself stands under. */
export function leavesOf(value: Json, key?: string): Leaves {
  const found: Found = { texts: [], keys: [], scopes: [], names: new Map(), columns: [] };
  collect(found, value, {
    key: key !== undefined && saysSecret(key) ? key : undefined,
    scope: { first: 0, end: 1 },
    column: undefined,
  });
  return { ...found, columns: found.columns.flatMap(brokenColumns) };
}

/** The value with `texts` as its leaves and `nameOf` of each name; parts in which nothing changed as they are. */
export function withLeaves(value: Json, texts: readonly string[], nameOf: (name: string) => string): Json {
  let next = 0;
  function rebuilt(part: Json, key: string | undefined): Json {
    if (typeof part === "string") return isLabel(part, key) ? part : (texts[next++] ?? "");
    if (typeof part !== "object" || part === null) return part;
    return Array.isArray(part) ? array(part) : object(part);
  }
  function array(part: Json[]): Json[] {
    const entries = part.map((entry) => rebuilt(entry, undefined));
    return entries.some((entry, index) => entry !== part[index]) ? entries : part;
  }
  function object(part: JsonObject): JsonObject {
    let changed = false;
    const members: [string, Json][] = [];
    for (const name of Object.keys(part)) {
      const member = part[name] ?? null;
      const entry: [string, Json] = [nameOf(name), rebuilt(member, name)];
      changed ||= entry[0] !== name || entry[1] !== member;
      members.push(entry);
    }
    return changed ? Object.fromEntries(distinct(members)) : part;
  }
  return rebuilt(value, undefined);
}

interface Column {
  leaves: number[];
  members: Map<string, Column>;
  items: Column | undefined;
}

interface Found {
  texts: string[];
  keys: (string | undefined)[];
  scopes: Scope[];
  names: Map<string, boolean>;
  /** Of every outermost array of arrays and objects. */
  columns: Column[];
}

interface Place {
  key: string | undefined;
  /** Of a text that stands here. */
  scope: Scope;
  column: Column | undefined;
}

function collect(found: Found, value: Json, place: Place): void {
  if (typeof value === "string") {
    place.column?.leaves.push(found.texts.length);
    found.texts.push(value);
    found.keys.push(place.key);
    found.scopes.push(place.scope);
  } else if (Array.isArray(value)) collectArray(found, value, place);
  else if (typeof value === "object" && value !== null) collectObject(found, value, place);
}

function collectArray(found: Found, value: Json[], place: Place): void {
  const scope = { first: found.texts.length, end: 0 };
  const column = columnOf(found, value, place);
  for (const [index, entry] of value.entries()) {
    const flag = flagBefore(value, index);
    const key = flag !== undefined && saysSecret(flag) ? flag : place.key;
    if (isOneText(entry)) collectObject(found, entry, { key, scope, column }, scope);
    else collect(found, entry, { key, scope, column });
  }
  scope.end = found.texts.length;
}

// In a list of arguments the name of a value is the flag in front of it: ["--password", "..."].
function flagBefore(value: readonly Json[], index: number): string | undefined {
  const before = value[index - 1];
  return typeof before === "string" && before.startsWith("--") ? before : undefined;
}

function collectObject(found: Found, value: JsonObject, place: Place, given?: Scope): void {
  const scope = given ?? { first: found.texts.length, end: 0 };
  const list = isList(value) ? columnOf(found, Object.values(value), place) : undefined;
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null;
    const says = saysOf(found, name);
    if (typeof member === "string" && isLabel(member, name)) continue;
    const key = name === "value" ? nameOfValue(value) : says ? name : undefined;
    const column = list ?? (place.column && memberOf(place.column, name));
    collect(found, member, { key, scope, column });
  }
  if (given === undefined) scope.end = found.texts.length;
}

function saysOf({ names }: Found, name: string): boolean {
  const known = names.get(name);
  if (known !== undefined) return known;
  const says = saysSecret(name);
  names.set(name, says);
  return says;
}

// Environment variables, headers and form fields are often listed as { name, value }.
function nameOfValue({ name, key, value }: JsonObject): string | undefined {
  const named = name ?? key;
  return typeof named === "string" && typeof value === "string" && saysSecret(named) ? named : undefined;
}

// What a block is (`"type": "text"`) is no part of what is written in it, and says nothing.
function isLabel(text: string, key: string | undefined): boolean {
  if (key !== "type" && !key?.endsWith("_type")) return false;
  return /^[a-z][a-z_-]{0,31}$/.test(text);
}

function isOneText(entry: Json): entry is JsonObject {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return false;
  if (entry.type === "text") return true;
  const texts = Object.keys(entry).filter((name) => {
    const member = entry[name];
    return typeof member === "string" && !isLabel(member, name);
  });
  return texts.length === 1;
}

// Records by an id or a path.
function isList(value: JsonObject): boolean {
  let members = 0;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (typeof member !== "object" || member === null) return false;
    members++;
  }
  return members > 1;
}

function columnOf(found: Found, entries: readonly Json[], { column }: Place): Column | undefined {
  if (column !== undefined) return itemsOf(column);
  if (!entries.some((entry) => typeof entry === "object" && entry !== null)) return undefined;
  const outermost = newColumn();
  found.columns.push(outermost);
  return outermost;
}

function itemsOf(column: Column): Column {
  column.items ??= newColumn();
  return column.items;
}

function memberOf(column: Column, name: string): Column {
  const known = column.members.get(name);
  if (known !== undefined) return known;
  const made = newColumn();
  column.members.set(name, made);
  return made;
}

function newColumn(): Column {
  return { leaves: [], members: new Map(), items: undefined };
}

function brokenColumns({ leaves, members, items }: Column): number[][] {
  const [first = 0] = leaves;
  const isBroken = (leaves.at(-1) ?? first) - first >= leaves.length;
  const below = [...(items === undefined ? [] : [items]), ...members.values()];
  return [...(isBroken ? [leaves] : []), ...below.flatMap(brokenColumns)];
}

// Two secret names get the same placeholder; both members stay.
function distinct(entries: [string, Json][]): [string, Json][] {
  const seen = new Map<string, number>();
  return entries.map(([name, entry]) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return [times === 1 ? name : `${name} (${times})`, entry];
  });
}
