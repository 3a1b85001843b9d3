// What a hook was called for: the words of its command line.

export interface HookCall {
  host: string;
  /** As the caller names it, for example `post-tool-use`. */
  event: string;
  /** Why the shell launcher could not deliver; undefined when nothing was tried yet. */
  failed: string | undefined;
}

/**
 * Reads `[hook] <host> <event>` and `[hook] <event> --host <name>`, with `--failed=<reason>` from the shell launcher.
 * Null when a word is missing or could not stand in a path.
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
