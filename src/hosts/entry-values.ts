// Entries of ours in the value of a settings file: which are there, and as they should be.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import type { EditedFile, Entry } from "./integration.ts";
import type { SetMember } from "./json-entries.ts";

/** Every wanted entry is there as it should be, and nothing else of ours. */
export function isComplete(value: unknown, wanted: readonly Entry[], all: readonly Entry[]): boolean {
  const isListed = ({ path, key }: Entry) =>
    all.some((one) => one.key === key && isDeepStrictEqual(one.path, path));
  return (
    wanted.every((entry) => isShared(value, entry) || hasExactly(value, entry)) &&
    ourValues(value, all).length ===
      wanted.filter((entry) => entry.shared !== true && (entry.anonymous !== true || isListed(entry))).length
  );
}

export function isShared(value: unknown, { key = "", shared }: Entry): boolean {
  return shared === true && isJsonObject(value) && key in value;
}

/** The entry with what the user changed in the present one, besides the fields that mem sets. */
export function withUserFields({ fields, ...entry }: Entry, value: unknown): Entry {
  const { path, key = "", value: wanted, isOurs } = entry;
  const present = valueAt(value, [...path, key]);
  if (fields === undefined || !isJsonObject(wanted) || !isJsonObject(present) || !isOurs(present))
    return entry;
  const added = Object.entries(present).filter(([name]) => !fields.includes(name));
  return { ...entry, value: { ...wanted, ...Object.fromEntries(added), ...fieldsOf(wanted, fields) } };
}

// An empty object says as much as none.
function fieldsOf(value: JsonObject, fields: readonly string[]): JsonObject {
  const isSaid = (inner: Json) => !isJsonObject(inner) || Object.keys(inner).length > 0;
  return Object.fromEntries(
    Object.entries(value).filter(([name, inner]) => fields.includes(name) && isSaid(inner)),
  );
}

export function hasExactly(value: unknown, { path, key, fields, value: expected }: Entry): boolean {
  const container = valueAt(value, path);
  if (key !== undefined) {
    const member = isJsonObject(container) ? container[key] : undefined;
    if (fields === undefined || !isJsonObject(expected)) return isDeepStrictEqual(member, expected);
    return isJsonObject(member) && isDeepStrictEqual(fieldsOf(member, fields), fieldsOf(expected, fields));
  }
  return Array.isArray(container) && container.some((element) => isDeepStrictEqual(element, expected));
}

/** Our values in the containers of the entries, of any version. Elements of groups are returned themselves. */
export function ourValues(value: unknown, entries: readonly Entry[]): unknown[] {
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

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), value);
}

/**
 * The entries whose values in the file are of mem. The values of the others may be the user's, or of another program with
 * the same name.
 */
export function ownEntries(
  { hooks = [] }: Pick<EditedFile, "hooks">,
  value: unknown,
  entries: readonly Entry[],
  members: readonly Pick<SetMember, "path">[] | null = null,
): Entry[] {
  const named = hooks.filter(({ anonymous }) => anonymous !== true);
  const isOwn = ({ path, key = "" }: Entry) =>
    members !== null
      ? members.some((member) => isDeepStrictEqual(member.path, [...path, key]))
      : ourValues(value, named).length > 0;
  return entries.filter((entry) => entry.anonymous !== true || isOwn(entry));
}

/** The value without the members that others use too. */
export function unshared(value: unknown, entries: readonly Entry[]): unknown {
  if (!isJsonObject(value)) return value;
  const isLeft = (name: string) => entries.every(({ key, shared }) => shared !== true || key !== name);
  return Object.fromEntries(Object.entries(value).filter(([name]) => isLeft(name)));
}
