// The `hooks` of a host's settings file: ours put in, ours taken out, everything else left as its author wrote it.
import type { HookGroup } from "./install-recipe.ts";
import {
  type Insertion,
  insertionInto,
  type JsonMember,
  type JsonNode,
  memberOf,
  parseJsonText,
  withInsertion,
  withoutItem,
} from "./json-text.ts";

export interface AddedHooks {
  text: string;
  insertions: Insertion[];
  /** What was not there before: `hooks`, and events. */
  created: string[];
}

/** What a file that does not exist yet, or that is blank, is taken for. */
export const emptySettings = "{}\n";

/** True for the text of a file that says nothing: an editor that was stopped leaves one, and hosts read it as no settings. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

const hooksKey = "hooks";

/** Adds each group behind what its event has already. Throws `SyntaxError` when hooks have another shape than expected. */
export function addHooks(text: string, groups: ReadonlyMap<string, HookGroup>): AddedHooks {
  const added: AddedHooks = { text, insertions: [], created: [] };
  for (const [event, group] of groups) {
    const hooks = memberOf(objectIn(added.text), hooksKey)?.value;
    const list = hooks === undefined ? undefined : memberOf(expected("object", hooks), event)?.value;
    if (hooks === undefined) put(added, parseJsonText(added.text), { [event]: [group] }, hooksKey);
    else if (list === undefined) put(added, hooks, [group], event);
    else put(added, expected("array", list), group);
    if (hooks === undefined) added.created.push(hooksKey);
    if (list === undefined) added.created.push(event);
  }
  return added;
}

/** The commands of all hooks that stand in the text. */
export function hookCommandsIn(text: string): string[] {
  return eventsOf(text).flatMap(({ value }) =>
    handlersOf(value).map(({ node }) => commandOf(text, node) ?? ""),
  );
}

/** The text without the hooks whose command is `ours`, and without what was `created` for them and is empty now. */
export function removeHooks(
  text: string,
  ours: (command: string) => boolean,
  created: (name: string) => boolean,
): string {
  let left = text;
  for (const { key } of eventsOf(text)) {
    const without = withoutHandlers(left, key, ours);
    if (without === left) continue;
    left = created(key) ? withoutEmpty(without, hooksOf(without), key) : without;
  }
  return left !== text && created(hooksKey) ? withoutEmpty(left, parseJsonText(left), hooksKey) : left;
}

/** The text without the member `key` of `container`, when that is an empty list or object. */
export function withoutEmpty(text: string, container: JsonNode | undefined, key: string): string {
  const member = container && memberOf(container, key);
  if (container === undefined || member === undefined) return text;
  const { value } = member;
  const isEmpty =
    (value.kind === "array" && value.elements.length === 0) ||
    (value.kind === "object" && value.members.length === 0);
  return isEmpty ? withoutItem(text, container, member) : text;
}

function put(added: AddedHooks, node: JsonNode, value: unknown, key?: string): void {
  const insertion = insertionInto(added.text, node, value, key);
  added.insertions.push(insertion);
  added.text = withInsertion(added.text, insertion);
}

function objectIn(text: string): JsonNode {
  return expected("object", parseJsonText(text));
}

function expected(kind: JsonNode["kind"], node: JsonNode): JsonNode {
  if (node.kind === kind) return node;
  throw new SyntaxError(`an ${kind} was expected where hooks are registered`);
}

function hooksOf(text: string): JsonNode | undefined {
  if (isBlank(text)) return undefined;
  return memberOf(objectIn(text), hooksKey)?.value;
}

function eventsOf(text: string): readonly JsonMember[] {
  const hooks = hooksOf(text);
  return hooks?.kind === "object" ? hooks.members : [];
}

interface Handler {
  node: JsonNode;
  /** The list it stands in, the group of that list, and the list of groups. */
  list: JsonNode;
  group: JsonNode;
}

function handlersOf(groups: JsonNode): Handler[] {
  if (groups.kind !== "array") return [];
  return groups.elements.flatMap((group) => {
    const list = memberOf(group, hooksKey)?.value;
    return list?.kind === "array" ? list.elements.map((node) => ({ node, list, group })) : [];
  });
}

function commandOf(text: string, handler: JsonNode): string | undefined {
  const command = memberOf(handler, "command")?.value;
  const value: unknown = command && JSON.parse(text.slice(command.start, command.end));
  return typeof value === "string" ? value : undefined;
}

// One at a time from a fresh look, since every removal moves what follows. A group that held only ours goes whole.
function withoutHandlers(text: string, event: string, ours: (command: string) => boolean): string {
  let left = text;
  for (;;) {
    const hooks = hooksOf(left);
    const groups = hooks && memberOf(hooks, event)?.value;
    if (groups === undefined) return left;
    const found = handlersOf(groups).find(({ node }) => ours(commandOf(left, node) ?? ""));
    if (found === undefined) return left;
    const { node, list, group } = found;
    const isAlone = list.kind === "array" && list.elements.length === 1;
    left = isAlone ? withoutItem(left, groups, group) : withoutItem(left, list, node);
  }
}
