// A standing rule as it is compared with actions and shown: read once from its text.
import { type Prohibition, prohibitionsIn } from "./prohibitions.ts";

export interface ParsedRule {
  /** What it says not to do. */
  prohibitions: readonly Prohibition[];
  /** True for "never npm" and for "pnpm, not npm"; false for a rule that only says what to do. */
  forbids: boolean;
}

export function parseRule(text: string): ParsedRule {
  const prohibitions = prohibitionsIn(text.slice(0, maxChars));
  return { prohibitions, forbids: prohibitions.length > 0 };
}

const maxChars = 2_000;
