// Our entries in JSON text: added, and removed with the containers created for them.
import type { Entry } from "./integration.ts";
import {
  type Edited,
  insert,
  type JsonNode,
  type JsonSyntax,
  memberOf,
  parseJson,
  parseJsonText,
  replaceMember,
  withoutItem,
} from "./json-text.ts";

/** Adds the entry; returns the paths of the containers that it created. Throws `SyntaxError` for an unexpected value. */
export function addJsonEntry(edited: Edited, entry: Entry, syntax: JsonSyntax): string[][] {
  const { path, key, value } = entry;
  let node = expectKind("object", parseJsonText(edited.text, syntax), []);
  for (const [depth, name] of path.entries()) {
    const isLast = depth === path.length - 1;
    const inner = memberOf(node, name)?.value;
    if (inner === undefined) {
      insert(edited, node, containing(entry, path.slice(depth + 1)), name);
      return path.slice(depth).map((_, index) => path.slice(0, depth + index + 1));
    }
    node = expectKind(isLast && key === undefined ? "array" : "object", inner, path.slice(0, depth + 1));
  }
  insert(edited, node, value, key);
  return [];
}

/** A member that mem set although its value does not say so, and the text of the value before; null if it was missing. */
export interface SetMember {
  path: readonly string[];
  before: string | null;
}

/** Replaces the value of the entry's member; null if it is missing. */
export function setJsonMember(edited: Edited, { path, key = "", value }: Entry, syntax: JsonSyntax) {
  const member = memberOf(nodeAt(parseJsonText(edited.text, syntax), path), key);
  return member === undefined ? null : replaceMember(edited, member, JSON.stringify(value));
}

/** The text with the values that members had before. */
export function withValuesBefore(text: string, members: readonly SetMember[], syntax: JsonSyntax): string {
  const edited: Edited = { text, insertions: [] };
  for (const { path, before } of members) {
    const member = memberOf(nodeAt(parseJsonText(edited.text, syntax), path.slice(0, -1)), path.at(-1) ?? "");
    if (before !== null && member !== undefined) replaceMember(edited, member, before);
  }
  return edited.text;
}

// The value of a missing container, with the entry in it.
function containing({ key, value }: Entry, path: readonly string[]): unknown {
  const innermost = key === undefined ? [value] : { [key]: value };
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), innermost);
}

function expectKind(kind: JsonNode["kind"], node: JsonNode, path: readonly string[]): JsonNode {
  if (node.kind === kind) return node;
  const where = path.length === 0 ? "at the top" : `at ${path.join(".")}`;
  throw new SyntaxError(`${kind === "array" ? "an array" : "an object"} was expected ${where}`);
}

/** The text without our entries, of any version of mem. Removes emptied containers that `wasCreated`. */
export function withoutJsonEntries(
  text: string,
  entries: readonly Entry[],
  { syntax, wasCreated }: { syntax: JsonSyntax; wasCreated(path: readonly string[]): boolean },
): string {
  let left = text;
  for (;;) {
    const root = parseJsonText(left, syntax);
    const found = findOurs(left, root, entries, syntax);
    if (found === undefined) return left;
    left = withoutItem(left, found.container, found.item);
    for (let path = found.path; path.length > 0 && wasCreated(path); path = path.slice(0, -1)) {
      const [name = ""] = path.slice(-1);
      const outer = nodeAt(parseJsonText(left, syntax), path.slice(0, -1));
      const emptied = memberOf(outer, name);
      if (outer === undefined || emptied === undefined || emptied.value.items.length > 0) break;
      left = withoutItem(left, outer, emptied);
    }
  }
}

interface Found {
  container: JsonNode;
  item: JsonNode["items"][number];
  /** Of the container, or of the list with the group. */
  path: readonly string[];
}

// One at a time, since a removal moves the text behind it.
function findOurs(
  text: string,
  root: JsonNode,
  entries: readonly Entry[],
  syntax: JsonSyntax,
): Found | undefined {
  const read = (node: JsonNode): unknown => parseJson(text.slice(node.start, node.end), syntax);
  for (const { path, key, group, isOurs } of entries) {
    if (key !== undefined) {
      const container = nodeAt(root, path);
      const item = memberOf(container, key);
      if (container && item && isOurs(read(item.value))) return { container, item, path };
      continue;
    }
    for (const { list, at } of listsBeside(root, path)) {
      for (const item of list.items) {
        if (group === undefined) {
          if (isOurs(read(item.value))) return { container: list, item, path: at };
          continue;
        }
        const inner = memberOf(item.value, group)?.value;
        const ours = inner?.items.find(({ value }) => isOurs(read(value)));
        if (inner?.kind !== "array" || ours === undefined) continue;
        // A group of ours alone goes whole.
        return inner.items.length === 1
          ? { container: list, item, path: at }
          : { container: inner, item: ours, path: [] };
      }
    }
  }
  return undefined;
}

// The array at the path and those beside it: an earlier version may have used other names of events.
function listsBeside(root: JsonNode, path: readonly string[]): { list: JsonNode; at: string[] }[] {
  const outer = nodeAt(root, path.slice(0, -1));
  if (outer?.kind !== "object") return [];
  return outer.items
    .filter(({ value }) => value.kind === "array")
    .map(({ key = "", value }) => ({ list: value, at: [...path.slice(0, -1), key] }));
}

function nodeAt(root: JsonNode, path: readonly string[]): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>((node, name) => memberOf(node, name)?.value, root);
}
