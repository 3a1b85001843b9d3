// The command lines that hosts run as hooks.
import { kebabCase } from "../text/kebab-case.ts";

/** How a host starts the hook: the launcher in `folder` in its POSIX shell, or Node with the bundle. */
export type Launcher = { folder: string } | { node: string; bundle: string };

interface CommandRequest {
  host: string;
  event: string;
  launcher: Launcher;
  /** Null for the default one. Hooks run in the host's environment. */
  dataDir: string | null;
  /** True if the host runs commands in the user's login shell, which need not be a POSIX shell. */
  loginShell?: boolean;
}

/**
 * The command of one hook. The host's shell sources the launcher, which saves a second shell (1 ms of 10). The check
 * first: a shell that cannot open its script exits 2, and 2 makes the host block the prompt.
 */
export function hookCommand({ host, event, launcher, dataDir, loginShell }: CommandRequest): string {
  const name = kebabCase(event);
  if ("node" in launcher) {
    const words = [launcher.node, launcher.bundle].map((word) => `"${word.replaceAll("\\", "/")}"`);
    return [...words, host, name].join(" ");
  }
  const script = '"$3/mem-hook.sh"';
  const source = `[ -r ${script} ] || exit 0; . ${script}`;
  if (loginShell === true) {
    // Plain words: fish and tcsh read them as a POSIX shell does.
    const environment = dataDir === null ? "" : `/usr/bin/env ${quoted(`MEM_DATA_DIR=${dataDir}`)} `;
    return `${environment}/bin/sh -c ${quoted(source)} sh ${host} ${name} ${quoted(launcher.folder)}`;
  }
  const environment = dataDir === null ? "" : `export MEM_DATA_DIR=${quoted(dataDir)}; `;
  return `${environment}set -- ${host} ${name} ${quoted(launcher.folder)}; ${source}`;
}

/** True for a command of `hookCommand` for the host, from any version and place. */
export function isHookCommand(host: string, command: string): boolean {
  const shell = new RegExp(`(^|; )set -- ${host} [a-z-]+ .*; \\. "\\$3/mem-hook\\.sh"$`, "s");
  const words = new RegExp(`(^| )/bin/sh -c '[^']*\\. "\\$3/mem-hook\\.sh"' sh ${host} [a-z-]+ '.*'$`, "s");
  const node = new RegExp(`^"[^"]*" "[^"]*/hook\\.cjs" ${host} [a-z-]+$`);
  return [shell, words, node].some((form) => form.test(command));
}

/** The absolute path of the launcher that a command starts; null for another command. */
export function launcherOf(command: string): string | null {
  const [, folder] = /(?:(?:^|; )set --|' sh) \S+ \S+ '((?:[^']|'\\'')*)'(?:;|$)/.exec(command) ?? [];
  if (folder !== undefined) return `${folder.replaceAll("'\\''", "'")}/mem-hook.sh`;
  return /^"[^"]*" "([^"]*\/hook\.cjs)" /.exec(command)?.[1] ?? null;
}

// The shell expands a variable of the host (`${CLAUDE_PLUGIN_ROOT}`); everything else is literal.
function quoted(word: string): string {
  return word.startsWith("${") ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
