// Letters and prose for generated documents.
import type { Random } from "./random.ts";

/** So many characters drawn from `letters`. */
export function sampleText(random: Random, length: number, letters: string): string {
  return Array.from({ length }, () => letters.charAt(random.between(0, letters.length - 1))).join("");
}

/** A line of so many short words. */
export function sampleProse(random: Random, words: number): string {
  return Array.from({ length: words }, () => random.pick(vocabulary)).join(" ");
}

const vocabulary =
  "the build reads each file once and writes what changed so a second run is short when nothing moved".split(
    " ",
  );
