// Summarizes a longer text, such as a page, an answer or a plan.
import { firstLine } from "../../../text/plain-text.ts";

/** The first line of content; a heading only when the text has nothing else. */
export function gist(text: string): string {
  const line = firstLine(text);
  if (!line.startsWith("#")) return line;
  return points(text)[0] ?? line.replace(/^#+\s*/, "");
}

/** The bullets of a text, or its first sentences. */
export function points(text: string): string[] {
  const bullets = text
    .slice(0, 6_000)
    .split("\n")
    .flatMap((line) => /^\s*(?:[-*•]|\d{1,2}[.)])\s+(\S.{8,})$/.exec(line)?.[1] ?? []);
  return bullets.length > 0 ? bullets.slice(0, 6) : sentences(text, 2);
}

/** The first `count` sentences of a text, without headings and fences. */
export function sentences(text: string, count: number): string[] {
  const prose = text
    .slice(0, 3_000)
    .split("\n")
    .filter((line) => !/^\s*(?:#|```|[-*_]{3,}|\|)/.test(line))
    .join(" ");
  return prose
    .split(/(?<=[.!?])\s+(?=[A-Z`"'(])/)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .slice(0, count);
}
