// Whether the mode that is set can be used, where a model writes in the words of `code` otherwise; and has the words set.
import type { CliContext } from "../context.ts";
import { modeProblem, unknownModeWords } from "../mode-words.ts";
import { type Check, warn } from "./check.ts";

/** Why the mode cannot be used; null when it can, which is not worth a line. */
export async function checkMode(context: CliContext): Promise<Check | null> {
  const problem = await modeProblem(context);
  if (problem === null) return null;
  const next =
    "See `mem mode list`. After `mem mode use <name>`, or once its file is mended: `mem worker restart`.";
  return warn("Mode", problem, next);
}

/** Types and concepts for the context that the mode does not have; null when it has them all. */
export async function checkContextWords(context: CliContext): Promise<Check | null> {
  const settings = context.settings("read");
  const keys = ["MEM_CONTEXT_OBSERVATION_TYPES", "MEM_CONTEXT_OBSERVATION_CONCEPTS"] as const;
  const said: string[] = [];
  for (const key of keys) {
    if (settings.source(key) === "default") continue;
    const kind = key === "MEM_CONTEXT_OBSERVATION_TYPES" ? "types" : "concepts";
    const unknown = await unknownModeWords(context, kind, settings.get(key));
    if (unknown !== null) said.push(`${key}: ${unknown}`);
  }
  if (said.length === 0) return null;
  const next = "mem settings set <setting> <words>, or --default; then `mem worker restart`";
  return warn("Context words", `${said.join(" ")} Words that it does not have are ignored.`, next);
}
