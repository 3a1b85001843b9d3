// Code fences of Markdown: which line opens one, and which closes it.

/**
 * The marks of the fence that is open after the line, null for none. A fence is closed only by the same character, at
 * least as often, with nothing behind it: a shorter one inside is content.
 */
export function fenceAfter(open: string | null, line: string): string | null {
  const [, marks = "", info = ""] = fence.exec(line) ?? [];
  if (marks === "") return open;
  if (open === null) return marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && info.trim() === "";
  return closes ? null : open;
}

const fence = /^\s{0,12}(`{3,}|~{3,})(.*)$/;
