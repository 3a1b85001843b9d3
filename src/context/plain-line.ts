// Stored text on its way into an agent's context: one line that can neither leave its block nor hide anything.
import { excerpt } from "../text/excerpt.ts";
import { terminalLine } from "../text/terminal-text.ts";

/** `text` on one line of at most `maxChars`: nothing invisible in it, and no tag that means something to us or a host. */
export function plainLine(text: string, maxChars: number): string {
  const window = text.slice(0, maxChars * 8);
  if (harmless.test(window)) return excerpt(text, maxChars);
  // Escapes and invisible marks are taken out first, so that none can stand inside a tag's name and hide it.
  const visible = terminalLine(window).replace(invisible, "");
  return excerpt(visible.replace(tagOpener, "‹").replace(/`{3,}/g, "`"), maxChars);
}

// Printable ASCII with neither an opener nor a backtick: nearly every title, and looked at in a twentieth of the time.
const harmless = /^[ -;=-_a-~]*$/;

// What has no width of its own, and halves of letters: none of it is text, all of it can carry some.
const invisible = /[\p{DI}\p{Cs}\ufff9-\ufffb]/gu;

// Our own tags, the ones that hosts and models give a meaning, and comments, which hide what is in them from some readers
// and mark our part of a file for others: a record must not open or close them. An opener becomes `‹`, since intake reads
// `&lt;` as one when an agent quotes the line.
const tagOpener =
  /[<\ufe64\uff1c](?=[\s/\\]{0,4}(?:!--|antml|assistant|claude|context|developer|function|hook|human|important|instruct|invoke|mem|parameter|private|prompt|result|role|system|thinking|tool|user))/giu;
