// What stands in the place of a redacted secret: typed, stable, and unlike anything a program would write.

/** How every placeholder begins. */
export const placeholderOpening = "[redacted:";

/** `[redacted:aws-key]`: the same for every secret of a kind, so that equal messages stay equal. */
export function placeholder(kind: string): string {
  return `${placeholderOpening}${kind}]`;
}

/** True when the text begins with a placeholder, or with one that was cut off. */
export function startsRedacted(text: string): boolean {
  return text.startsWith(placeholderOpening);
}

/** Where the placeholder that begins at `start` ends; undefined when none is there. */
export function placeholderEnd(text: string, start: number): number | undefined {
  whole.lastIndex = start;
  return whole.test(text) ? whole.lastIndex : undefined;
}

/** The placeholder that the position `at` would cut in two, as its bounds. */
export function placeholderAround(text: string, at: number): { start: number; end: number } | undefined {
  const from = Math.max(0, at - maxLength);
  const start = from + text.slice(from, at + placeholderOpening.length - 1).lastIndexOf(placeholderOpening);
  if (start < from) return undefined;
  const end = placeholderEnd(text, start);
  return end !== undefined && end > at ? { start, end } : undefined;
}

const maxLength = 64;
const whole = /\[redacted:[a-z0-9-]{1,40}\]/y;
