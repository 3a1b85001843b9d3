// Checks of the mode: it can be loaded, and it has the types and concepts in the settings.
import type { CliContext } from "../context.ts";
import { type Check, warn } from "./check.ts";

/** Why the configured mode cannot be used; null when it can. */
export async function checkMode(context: CliContext): Promise<Check | null> {
  const problem = await modeProblem(context);
  if (problem === null) return null;
  const next = "See `mem mode list`. After `mem mode use <name>` or a fix of its file: `mem worker restart`.";
  return warn("Mode", problem, next);
}

/** Types and concepts for the context that the mode lacks; null when it has them all. */
export async function checkContextWords(context: CliContext): Promise<Check | null> {
  const settings = context.settings("read");
  const unknown: string[] = [];
  for (const [key, kind] of [
    ["MEM_CONTEXT_OBSERVATION_TYPES", "types"],
    ["MEM_CONTEXT_OBSERVATION_CONCEPTS", "concepts"],
  ] as const) {
    const problem =
      settings.source(key) === "default" ? null : await unknownModeWords(context, kind, settings.get(key));
    if (problem !== null) unknown.push(`${key}: ${problem}`);
  }
  if (unknown.length === 0) return null;
  const next = "mem settings set <setting> <words>, or --default; then `mem worker restart`";
  return warn("Context words", `${unknown.join(" ")} Unknown words are ignored.`, next);
}

/** Why the configured mode cannot be used; null when it can. */
export async function modeProblem(context: CliContext): Promise<string | null> {
  return (await activeMode(context)).warnings[0] ?? null;
}

/**
 * A sentence that names the words that the active mode lacks, and those it has; null when it has all. Such words are
 * allowed: records of other modes may have them.
 */
export async function unknownModeWords(
  context: CliContext,
  kind: "types" | "concepts",
  words: readonly string[],
): Promise<string | null> {
  const { mode } = await activeMode(context);
  const known = mode[kind].map(({ id }) => id);
  const unknown = words.filter((word) => !known.includes(word));
  if (unknown.length === 0) return null;
  const noun = unknown.length === 1 ? kind.slice(0, -1) : kind;
  return `The mode ${mode.name} has no ${noun} ${unknown.join(", ")}. Known: ${known.join(", ")}.`;
}

async function activeMode(context: CliContext) {
  const { loadActiveMode } = await import("../../settings/modes/load-mode.ts");
  return loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir: context.dataDir() });
}
