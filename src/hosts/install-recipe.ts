// The hooks of a host as data, and the command lines to register.
import { kebabCase } from "../text/kebab-case.ts";

export interface InstallRecipe {
  host: string;
  /** The host's name for people. */
  title: string;
  /** The file for hooks: in the folder named by the variable, else in this folder of the home. */
  settings: { folderVariable: string; folder: string; file: string };
  /** The file for MCP servers: in the home, or in the folder named by the variable. */
  mcpFile: string;
  hooks: readonly HookRegistration[];
}

export interface HookRegistration {
  /** The host's name. */
  event: string;
  /** Tools or kinds of the event; all if omitted. */
  matcher?: string;
  /** In the host's unit. The hook returns far earlier. */
  timeout: number;
}

/** How a host starts the hook: the launcher in `folder` in its POSIX shell, or Node with the bundle. */
export type Launcher = { folder: string } | { node: string; bundle: string };

interface CommandRequest {
  host: string;
  event: string;
  launcher: Launcher;
  /** Null for the default one. Hooks run in the host's environment. */
  dataDir: string | null;
}

/**
 * The command of one hook. The host's shell sources the launcher, which saves a second shell (1 ms of 10). The check
 * first: a shell that cannot open its script exits 2, and 2 makes the host block the prompt.
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

/** True for a command of `hookCommand` for the host, from any version and place. */
export function isHookCommand(host: string, command: string): boolean {
  const shell = new RegExp(`(^|; )set -- ${host} [a-z-]+ .*; \\. "\\$3/mem-hook\\.sh"$`, "s");
  const node = new RegExp(`^"[^"]*" "[^"]*/hook\\.cjs" ${host} [a-z-]+$`);
  return shell.test(command) || node.test(command);
}

// The shell expands a variable of the host (`${CLAUDE_PLUGIN_ROOT}`); everything else is literal.
function quoted(word: string): string {
  return word.startsWith("${") ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** One entry of an event's list, in the format of Claude Code. */
export interface HookGroup {
  matcher?: string;
  hooks: { type: "command"; command: string; timeout: number }[];
}

/** The `hooks` object for the host's settings. */
export function hookSettings(
  recipe: InstallRecipe,
  launcher: Launcher,
  dataDir: string | null,
): Record<string, HookGroup[]> {
  const groups = hookGroups(recipe, launcher, dataDir);
  return Object.fromEntries([...groups].map(([event, group]) => [event, [group]]));
}

/** One group per event. */
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
