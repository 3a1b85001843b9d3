// Removes blocks that hosts add to a prompt, such as `<system-reminder>`.

/** Replaces each complete block by a space. A tag without its end stays. Linear in time. */
export function withoutHostBlocks(text: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const { 0: tag, 1: name = "", index } of text.matchAll(opening)) {
    if (index < from || unclosed.has(name)) continue;
    const closing = `</${name}>`;
    const end = text.indexOf(closing, index + tag.length);
    if (end === -1) unclosed.add(name);
    else {
      kept.push(text.slice(from, index));
      from = end + closing.length;
    }
    if (unclosed.size > mostUnclosed) break;
  }
  return [...kept, text.slice(from)].join(" ");
}

// Known names only: `<base-button>` may be what a prompt is about. In a code span a tag is named, not opened.
const opening =
  /(?<!`)<(system-reminder|task-notification|hook_context|environment_context|user_instructions|attached_files|(?:local-)?command-[a-z]{1,20}|ide_[a-z_]{1,30}|[a-z-]{1,30}-hook)>/g;
// Each is searched for to the end of the text.
const mostUnclosed = 20;
