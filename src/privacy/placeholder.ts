// Placeholders for redacted secrets: typed, stable, and unlike any program output.

/** The prefix of every placeholder. */
export const placeholderOpening = "[redacted:";

/** `[redacted:aws-key]`: the same for every secret of a kind, so that equal messages stay equal. */
export function placeholder(kind: string): string {
  return `${placeholderOpening}${kind}]`;
}

/** True if the text begins with a placeholder, cut off or whole. */
export function startsRedacted(text: string): boolean {
  return text.startsWith(placeholderOpening);
}

/** The end of the placeholder at `start`; undefined without one. */
export function placeholderEnd(text: string, start: number): number | undefined {
  whole.lastIndex = start;
  return whole.test(text) ? whole.lastIndex : undefined;
}

/** The bounds of the placeholder around `at`. */
export function placeholderAround(text: string, at: number): { start: number; end: number } | undefined {
  const from = Math.max(0, at - maxLength);
  const start = from + text.slice(from, at + placeholderOpening.length - 1).lastIndexOf(placeholderOpening);
  if (start < from) return undefined;
  const end = placeholderEnd(text, start);
  return end !== undefined && end > at ? { start, end } : undefined;
}

const maxLength = 64;
const whole = /\[redacted:[a-z0-9-]{1,40}\]/y;
