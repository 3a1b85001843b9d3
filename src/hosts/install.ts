// Our hooks in a host's settings file.
import { failOpenSync } from "../core/errors.ts";
import { isJsonObject } from "../text/json.ts";
import {
  type HookGroup,
  hookGroups,
  type InstallRecipe,
  isHookCommand,
  type Launcher,
} from "./install-recipe.ts";
import {
  type Edited,
  expectKind,
  insert,
  type JsonNode,
  memberOf,
  parseJsonText,
  parseNode,
  withoutEmpty,
  withoutItem,
} from "./json-text.ts";
import {
  type InstallPlan,
  type InstallRecord,
  isBlank,
  planRegistration,
  planRemoval,
  type Registration,
} from "./registration.ts";

interface UninstallRequest {
  host: string;
  settingsFile: string;
  /** The present text, null when there is no file. */
  before: string | null;
  /** Of an earlier installation into the same file. */
  earlier: InstallRecord | undefined;
}

interface InstallRequest extends Omit<UninstallRequest, "host"> {
  recipe: InstallRecipe;
  launcher: Launcher;
  dataDir: string | null;
}

/** The settings with our hooks; unchanged if they are complete. Throws `host_settings_unreadable`. */
export function planInstall({ recipe, launcher, dataDir, ...request }: InstallRequest): InstallPlan {
  const groups = hookGroups(recipe, launcher, dataDir);
  const commands = [...groups.values()].flatMap(({ hooks }) => hooks.map(({ command }) => command));
  const registration = hooksOf({ ...request, host: recipe.host });
  return planRegistration(registration, commands, (edited) => addHooks(edited, groups));
}

/** The settings without our hooks: byte for byte as before, if nothing else changed since. */
export function planUninstall(request: UninstallRequest): InstallPlan {
  return planRemoval(hooksOf(request));
}

/** The name of our plugin if the settings enable it, else null. The plugin brings its own hooks. */
export function enabledPlugin(settings: string | null): string | null {
  const parsed = failOpenSync("look for a plugin", (): unknown => JSON.parse(settings ?? "{}"));
  const plugins = isJsonObject(parsed) && isJsonObject(parsed.enabledPlugins) ? parsed.enabledPlugins : {};
  const [name] =
    Object.entries(plugins).find(([key, on]) => key.startsWith("agent-mem@") && on === true) ?? [];
  return name ?? null;
}

/** The commands of all hooks in the text. */
export function hookCommandsIn(text: string): string[] {
  return (hooksIn(text)?.items ?? []).flatMap(({ value }) =>
    handlersIn(value).map(({ node }) => commandOf(text, node)),
  );
}

function hooksOf({ host, settingsFile, before, earlier }: UninstallRequest): Registration {
  const isOurs = (command: string): boolean =>
    isHookCommand(host, command) || (earlier?.commands.includes(command) ?? false);
  const wasCreated = (name: string): boolean => earlier === undefined || earlier.created.includes(name);
  return {
    kind: "hooks",
    host,
    file: settingsFile,
    before,
    earlier,
    present: (text) => hookCommandsIn(text).filter(isOurs),
    remove: (text) => removeHooks(text, isOurs, wasCreated),
  };
}

const hooksKey = "hooks";

// Each group goes behind the groups of its event. Throws `SyntaxError` when hooks have an unexpected shape.
function addHooks(edited: Edited, groups: ReadonlyMap<string, HookGroup>): void {
  const where = "where hooks are registered";
  for (const [event, group] of groups) {
    const root = expectKind("object", parseJsonText(edited.text), where);
    const hooks = memberOf(root, hooksKey)?.value;
    const list = hooks && memberOf(expectKind("object", hooks, where), event)?.value;
    if (list !== undefined) insert(edited, expectKind("array", list, where), group);
    else if (hooks !== undefined) insert(edited, hooks, [group], event);
    else {
      insert(edited, root, { [event]: [group] }, hooksKey);
      edited.created.push(event);
    }
  }
}

// Removes our hooks, and the members created for them that are empty now.
function removeHooks(
  text: string,
  isOurs: (command: string) => boolean,
  wasCreated: (name: string) => boolean,
): string {
  let left = text;
  for (const { key = "" } of hooksIn(text)?.items ?? []) {
    const without = withoutHandlers(left, key, isOurs);
    if (without === left) continue;
    left = wasCreated(key) ? withoutEmpty(without, hooksIn(without), key) : without;
  }
  return left !== text && wasCreated(hooksKey) ? withoutEmpty(left, parseJsonText(left), hooksKey) : left;
}

// One at a time, each after a new parse, since a removal moves what follows. A group with only ours goes whole.
function withoutHandlers(text: string, event: string, isOurs: (command: string) => boolean): string {
  let left = text;
  for (;;) {
    const groups = memberOf(hooksIn(left), event)?.value;
    const found = groups && handlersIn(groups).find(({ node }) => isOurs(commandOf(left, node)));
    if (groups === undefined || found === undefined) return left;
    const { node, list, group } = found;
    left = list.items.length === 1 ? withoutItem(left, groups, group) : withoutItem(left, list, node);
  }
}

function hooksIn(text: string): JsonNode | undefined {
  if (isBlank(text)) return undefined;
  const root = expectKind("object", parseJsonText(text), "where hooks are registered");
  return memberOf(root, hooksKey)?.value;
}

interface Handler {
  node: JsonNode;
  /** The list that contains it, and the group of that list. */
  list: JsonNode;
  group: JsonNode;
}

function handlersIn(groups: JsonNode): Handler[] {
  if (groups.kind !== "array") return [];
  return groups.items.flatMap(({ value: group }) => {
    const list = memberOf(group, hooksKey)?.value;
    return list?.kind === "array" ? list.items.map(({ value: node }) => ({ node, list, group })) : [];
  });
}

function commandOf(text: string, handler: JsonNode): string {
  const command = memberOf(handler, "command")?.value;
  const value = command && parseNode(text, command);
  return typeof value === "string" ? value : "";
}
