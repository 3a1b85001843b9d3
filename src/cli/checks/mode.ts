// Whether the mode that is set can be used: a model writes in the words of `code` where it cannot.
import type { CliContext } from "../context.ts";
import { modeProblem } from "../mode-words.ts";
import { type Check, warn } from "./check.ts";

/** Why the mode cannot be used; null when it can, which is not worth a line. */
export async function checkMode(context: CliContext): Promise<Check | null> {
  const problem = await modeProblem(context);
  if (problem === null) return null;
  const next =
    "See `mem mode list`. After `mem mode use <name>`, or once its file is mended: `mem worker restart`.";
  return warn("Mode", problem, next);
}
