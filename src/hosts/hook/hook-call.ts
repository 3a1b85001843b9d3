// The call of a hook: its command line, and the data directory from its environment.

export interface HookCall {
  host: string;
  /** The caller's name for it, for example `post-tool-use`. */
  event: string;
  /** Why the shell launcher could not deliver; undefined if it did not try. */
  failed: string | undefined;
}

/**
 * Reads `[hook] <host> <event>` and `[hook] <event> --host <name>`, with `--failed=<reason>` from the shell launcher.
 * Null if a word is missing or invalid in a path.
 */
export function parseHookCall(words: readonly string[]): HookCall | null {
  const plain: string[] = [];
  let host: string | undefined;
  let failed: string | undefined;
  for (let at = words[0] === "hook" ? 1 : 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--host") host = words[++at] ?? "";
    else if (word.startsWith("--host=")) host = word.slice("--host=".length);
    else if (word.startsWith("--failed=")) failed = word.slice("--failed=".length);
    else plain.push(word);
  }
  const [first = "", second = ""] = plain;
  const call = host === undefined ? { host: first, event: second, failed } : { host, event: first, failed };
  return isName(call.host) && isName(call.event) ? call : null;
}

function isName(word: string): boolean {
  return /^[\w-]{1,64}$/.test(word);
}

/**
 * The data directory: `MEM_DATA_DIR`, else `~/.mem`, by the rule of settings/ without its imports. Null for a relative
 * path, which would depend on the project that the host works in.
 */
export function hookDataDir(environment: NodeJS.ProcessEnv): string | null {
  const named = environment.MEM_DATA_DIR?.trim() ?? "";
  const absolute = process.platform === "win32" ? /^([a-z]:)?[\\/]/i : /^\//;
  if (absolute.test(named)) return named;
  if (named !== "" && named !== "~" && !/^~[\\/]/.test(named)) return null;
  const home = homeOf(environment);
  if (!absolute.test(home)) return null;
  return named === "" ? `${home}/.mem` : `${home}${named.slice(1)}`;
}

// As `os.homedir`, which reads these variables first.
function homeOf(environment: NodeJS.ProcessEnv): string {
  const named = process.platform === "win32" ? environment.USERPROFILE : environment.HOME;
  return named ?? process.getBuiltinModule("node:os").homedir();
}
