// Scenarios in parts, by their ids alone: a scenario stays in its part whatever else is in the set.
import { createHash } from "node:crypto";
import { summarize } from "./score.mjs";

/** The part of a scenario, from 0 to `count` - 1. */
export function foldOf(id, count) {
  const hash = createHash("sha256").update(id).digest();
  return hash.readUInt32BE(0) % count;
}

/** Figures of each part. */
export function foldFigures(scores, count) {
  return Array.from({ length: count }, (_, fold) => {
    const part = scores.filter(({ id }) => foldOf(id, count) === fold);
    const { delivered, of, tokens, never } = summarize(part);
    return { fold, delivered, of, never, share: of === 0 ? null : delivered / of, tokens };
  });
}

/** Mean of the parts' shares, their standard deviation (of a sample), lowest and highest. Parts without needs do not count. */
export function shareSpread(figures) {
  const shares = figures.flatMap(({ share }) => share ?? []);
  const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  const deviation = shares.length < 2 ? 0 : Math.sqrt(squares / (shares.length - 1));
  return { mean, deviation, lowest: Math.min(...shares), highest: Math.max(...shares), parts: shares.length };
}
