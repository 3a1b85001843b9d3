// Words that a user wrote for types or concepts, held against the active mode: a typo is a hint, never a refusal.
import type { CliContext } from "./context.ts";

/** Why the mode that is set cannot be used; null when it can. */
export async function modeProblem(context: CliContext): Promise<string | null> {
  const { loadActiveMode } = await import("../settings/modes/load-mode.ts");
  const dataDir = context.dataDir();
  return loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir }).warnings[0] ?? null;
}

/**
 * A sentence that names those of `words` that the active mode does not have, and those it has; null when it has all.
 * Records of other modes stay where they are, so such a word can be meant.
 */
export async function unknownModeWords(
  context: CliContext,
  kind: "types" | "concepts",
  words: readonly string[],
): Promise<string | null> {
  const { loadActiveMode } = await import("../settings/modes/load-mode.ts");
  const { mode } = loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir: context.dataDir() });
  const known = mode[kind].map(({ id }) => id);
  const unknown = words.filter((word) => !known.includes(word));
  if (unknown.length === 0) return null;
  const are = unknown.length === 1 ? `is no ${kind.slice(0, -1)}` : `are no ${kind}`;
  return `${unknown.join(", ")} ${are} of the mode ${mode.name}, which has ${known.join(", ")}.`;
}
