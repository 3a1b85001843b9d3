// The text of a record as lines: heading, tags, paragraphs, and below them where it comes from.
import { padToWidth } from "../../text/terminal-text.ts";
import { type Line, wrapHard } from "./lines.ts";
import type { Fault } from "./row-window.ts";
import type { Preview } from "./state.ts";

// A record is drawn with every key that scrolls it.
const wrapped = new WeakMap<Preview | Fault, { columns: number; lines: readonly Line[] }>();

/** The lines of a preview at a width. */
export function previewLines(preview: Preview | Fault, columns: number): readonly Line[] {
  const known = wrapped.get(preview);
  if (known?.columns === columns) return known.lines;
  const lines = "message" in preview ? faultLines(preview, columns) : recordLines(preview, columns);
  wrapped.set(preview, { columns, lines });
  return lines;
}

/** A failure and its next step. */
export function faultLines({ message, hint }: Fault, columns: number): Line[] {
  return [
    ...wrapHard(message, columns).map((text): Line => [[text, "red"]]),
    ...(hint === "" ? [] : wrapHard(hint, columns).map((text): Line => [[text]])),
  ];
}

function recordLines({ heading, tags, body, facts }: Preview, columns: number): Line[] {
  const lines: Line[] = [
    ...wrapHard(heading, columns).map((text): Line => [[text, "bold"]]),
    ...wrapHard(tags, columns).map((text): Line => [[text, "dim"]]),
  ];
  for (const paragraph of body) lines.push([], ...paragraphLines(paragraph, columns));
  if (facts.length > 0) lines.push([], ...factLines(facts, columns));
  return lines;
}

function paragraphLines(paragraph: string, columns: number): Line[] {
  return paragraph.split("\n").flatMap((line): Line[] => {
    const text = line.replaceAll("\t", "  ");
    const [mark = ""] = /^\s*[-*] /.exec(text) ?? [];
    const isHeading = /^[A-Z][a-z ]+:$/.test(text);
    return wrapHard(text.slice(mark.length), columns - mark.length).map((part, at): Line => {
      const front = at === 0 ? mark : " ".repeat(mark.length);
      return [[front + part, isHeading ? "dim" : "plain"]];
    });
  });
}

function factLines(facts: Preview["facts"], columns: number): Line[] {
  const width = Math.max(...facts.map(([label]) => label.length));
  const room = columns - width - 2;
  return facts.flatMap(([label, value]) =>
    wrapHard(value, Math.max(10, room)).map(
      (text, at): Line => [[`${padToWidth(at === 0 ? label : "", width)}  `, "dim"], [text]],
    ),
  );
}
