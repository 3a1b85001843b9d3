// What installing hooks into a host means, as data, and the command lines that follow from it.
import { kebabCase } from "../text/kebab-case.ts";

export interface InstallRecipe {
  host: string;
  /** The host's name for people. */
  title: string;
  /** The file that hooks are registered in: below the folder of the variable, else below this folder of the home. */
  settings: { folderVariable: string; folder: string; file: string };
  /** The file of MCP servers: in the home, or in the folder that the variable names. */
  mcpFile: string;
  hooks: readonly HookRegistration[];
}

export interface HookRegistration {
  /** As the host names it. */
  event: string;
  /** Which tools, or which kinds of the event; all of them when left out. */
  matcher?: string;
  /** In the host's unit. The hook itself is back far earlier. */
  timeout: number;
}

/** How a host starts the hook: in its POSIX shell through the launcher in `folder`, or Node with the bundle. */
export type Launcher = { folder: string } | { node: string; bundle: string };

interface CommandRequest {
  host: string;
  event: string;
  launcher: Launcher;
  /** Given when it is not the default one: hooks run in the host's environment. */
  dataDir: string | null;
}

/**
 * The command of one hook. The launcher is read into the host's shell, which saves starting a second (1 ms of 10), after
 * a look that it is there: a shell that cannot open its script ends with 2, which is the host's code for blocking a
 * prompt, and a checkout that was deleted must not do that.
 */
export function hookCommand({ host, event, launcher, dataDir }: CommandRequest): string {
  const name = kebabCase(event);
  if ("node" in launcher) {
    const words = [launcher.node, launcher.bundle].map((word) => `"${word.replaceAll("\\", "/")}"`);
    return [...words, host, name].join(" ");
  }
  const environment = dataDir === null ? "" : `export MEM_DATA_DIR=${quoted(dataDir)}; `;
  const script = '"$3/mem-hook.sh"';
  return `${environment}set -- ${host} ${name} ${quoted(launcher.folder)}; [ -r ${script} ] || exit 0; . ${script}`;
}

/** True for a command that `hookCommand` made for the host, by this version or another, from here or elsewhere. */
export function isHookCommand(host: string, command: string): boolean {
  const shell = new RegExp(`(^|; )set -- ${host} [a-z-]+ .*; \\. "\\$3/mem-hook\\.sh"$`, "s");
  const node = new RegExp(`^"[^"]*" "[^"]*/hook\\.cjs" ${host} [a-z-]+$`);
  return shell.test(command) || node.test(command);
}

// A variable of the host (`${CLAUDE_PLUGIN_ROOT}`) is left to the shell, everything else is taken as it is.
function quoted(word: string): string {
  return word.startsWith("${") ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** One entry of an event's list in the form that Claude Code reads. */
export interface HookGroup {
  matcher?: string;
  hooks: { type: "command"; command: string; timeout: number }[];
}

/** What the recipe registers, in the form that stands in the host's settings. */
export function hookSettings(
  recipe: InstallRecipe,
  launcher: Launcher,
  dataDir: string | null,
): Record<string, HookGroup[]> {
  const groups = hookGroups(recipe, launcher, dataDir);
  return Object.fromEntries([...groups].map(([event, group]) => [event, [group]]));
}

/** What the recipe registers, by event. */
export function hookGroups(
  recipe: InstallRecipe,
  launcher: Launcher,
  dataDir: string | null,
): ReadonlyMap<string, HookGroup> {
  const { host, hooks } = recipe;
  return new Map(
    hooks.map(({ event, matcher, timeout }) => [
      event,
      {
        ...(matcher === undefined ? {} : { matcher }),
        hooks: [{ type: "command", command: hookCommand({ host, event, launcher, dataDir }), timeout }],
      },
    ]),
  );
}
