// How a command that worked is shown: whole, or without words that the failed one had too; never without what differs.

/**
 * `working` in at most `maxChars`. Null when it cannot be shown: a secret was redacted from what differs, or that is longer
 * than `maxChars` by itself.
 */
export function shownCommand(working: string, failing: string, maxChars: number): string | null {
  const known = new Set(failing.split(/\s+/));
  const words = working.split(/\s+/);
  const isDecisive = words.map((word) => !known.has(word));
  if (words.some((word, at) => isDecisive[at] && isBlank(word, words[at - 1] ?? "", failing))) return null;
  if (working.length <= maxChars) return working;
  const kept = [true, ...isDecisive.slice(1)];
  let length = 0;
  for (const [at, word] of words.entries()) if (kept[at]) length += word.length + elision.length;
  if (length > maxChars) return null;
  for (const [at, word] of words.entries()) {
    if (kept[at] || length + word.length + 1 > maxChars) continue;
    kept[at] = true;
    length += word.length + 1;
  }
  return words.flatMap((word, at) => (kept[at] ? [word] : kept[at - 1] === true ? ["…"] : [])).join(" ");
}

// `API_TOKEN=[redacted:…]` still says that the variable is needed, unless the failed command had it too.
function isBlank(word: string, before: string, failing: string): boolean {
  if (!placeholder.test(word)) return false;
  const name =
    /^["']?([A-Za-z_]\w*=|--?[A-Za-z][\w-]*=)/.exec(word)?.[1] ?? (/^-/.test(before) ? before : "");
  if (name !== "") return failing.includes(name);
  return word.replaceAll(new RegExp(placeholder, "g"), "").replace(/[^\p{L}\p{N}]/gu, "").length < leastRest;
}

const placeholder = /\[redacted:[a-z0-9-]{1,40}\]/;
const elision = " … ";
// Of an address without its password enough is left.
const leastRest = 6;
