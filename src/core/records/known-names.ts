// Messages for unknown names in filters, with the known ones: most are typos.
import { nearestName } from "../../text/edit-distance.ts";
import { terminalLine } from "../../text/terminal-text.ts";

const mostNames = 8;

/** A sentence that lists the known projects; null when the project is one of them, or none is known. */
export function noSuchProject(project: string, known: readonly string[]): string | null {
  if (known.length === 0 || known.includes(project)) return null;
  const shown = `\`${terminalLine(project).slice(0, 100)}\``;
  const meant = known.find((name) => name.toLowerCase() === project.toLowerCase());
  if (meant !== undefined) return `No project named ${shown}, but there is \`${terminalLine(meant)}\`.`;
  const names = known.slice(0, mostNames).map(terminalLine).join(", ");
  const more = known.length > mostNames ? ` and ${known.length - mostNames} more` : "";
  return `No project named ${shown}. Known: ${names}${more}.${meantOf([project], known)}`;
}

function meantOf(words: readonly string[], known: readonly string[]): string {
  const near = words.flatMap((word) => nearestName(word, known) ?? []);
  return near.length === 0 ? "" : ` Did you mean ${near.map(terminalLine).join(", ")}?`;
}

/**
 * A sentence about the words that the mode does not have; null when it has all of them, or defines none. `also`: other
 * words that may have been meant.
 */
export function noSuchWords(
  noun: "type" | "concept",
  words: readonly string[],
  { name, known, also = [] }: { name: string; known: readonly { id: string }[]; also?: readonly string[] },
): string | null {
  const unknown = words.filter((word) => !known.some(({ id }) => id === word));
  if (unknown.length === 0 || known.length === 0) return null;
  const shown = shownWords(unknown);
  const ids = known.map(({ id }) => id);
  const meant = meantOf(unknown, [...ids, ...also]);
  return `The mode ${name} has no ${noun} ${shown}. Known: ${ids.join(", ")}.${meant}`;
}

/** True for a sentence of `noSuchWords` that says that the mode has no such type. */
export function isOnUnknownType(note: string, type: string): boolean {
  return note.includes(` has no type ${shownWords([type])}. `);
}

function shownWords(words: readonly string[]): string {
  return terminalLine(words.join(", ")).slice(0, 200);
}
