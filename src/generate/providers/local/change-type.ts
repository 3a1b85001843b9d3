// Which observation type and concepts a change gets.
import type { ObservationConcept, ObservationType } from "../../../domain/records.ts";
import type { ChangedSymbols } from "./changed-symbols.ts";
import { fileKind } from "./declarations.ts";
import type { FileChange } from "./patch.ts";

/*
 * The first row that fits gives the type. "The prompt" is the first prompt of the session.
 *
 * | evidence                                                                        | obs_type  |
 * | ------------------------------------------------------------------------------- | --------- |
 * | the tool failed                                                                 | discovery |
 * | files only moved, or one identifier renamed and nothing else                    | refactor  |
 * | documentation, configuration or style only                                      | change    |
 * | a comment or test title among the added lines speaks of a bug                   | bugfix    |
 * | the prompt asks for a fix                                                       | bugfix    |
 * | the prompt asks for a refactoring                                               | refactor  |
 * | tests only                                                                      | change    |
 * | a new code file, or three quarters of the lines are added and declare something | feature   |
 * | anything else                                                                   | change    |
 */

/** The type of an edit, by the table above. */
export function changeType(
  changes: readonly FileChange[],
  symbols: readonly ChangedSymbols[],
  userPrompt: string,
): ObservationType {
  const moved = changes.every(
    (change) => change.movedTo !== null && change.added.length + change.removed.length === 0,
  );
  if (moved || symbols.every((each) => each.renamed !== null)) return "refactor";
  const code = changes.filter((change) => codeKinds.has(fileKind(change.path)));
  if (code.length === 0) return "change";
  const prompt = userPrompt.slice(0, promptChars);
  if (code.some(speaksOfBug) || fixWords.test(prompt)) return "bugfix";
  if (refactorWords.test(prompt)) return "refactor";
  const product = code.filter((change) => fileKind(change.path) === "code");
  return product.some((change) => change.kind === "add") ||
    (product.length > 0 && mostlyAdded(product, symbols))
    ? "feature"
    : "change";
}

/** The type that a commit message speaks of. */
export function commitType(message: string): ObservationType {
  if (/^(?:fix|bugfix|hotfix)\b|\bfix(?:e[sd])?\b|\bbug\b/i.test(message)) return "bugfix";
  if (/^feat\b|^(?:add|implement|introduce|support)\b/i.test(message)) return "feature";
  if (/^refactor\b|^(?:rename|move|extract|split|clean ?up|simplify)\b/i.test(message)) return "refactor";
  return "change";
}

/** The concepts of a change of this type. */
export function changeConcepts(type: ObservationType): ObservationConcept[] {
  return type === "bugfix" ? ["what-changed", "problem-solution"] : ["what-changed"];
}

// Identifiers such as `error` stand in any code; only people's words count: comments and test titles.
function speaksOfBug({ added }: FileChange): boolean {
  return added
    .slice(0, 200)
    .some((line) => line.length < 300 && humanWords.test(line) && bugWords.test(line));
}

function mostlyAdded(code: readonly FileChange[], symbols: readonly ChangedSymbols[]): boolean {
  const added = code.reduce((sum, change) => sum + change.added.length, 0);
  const removed = code.reduce((sum, change) => sum + change.removed.length, 0);
  return added >= 3 && added >= removed * 3 && symbols.some((each) => each.added.length > 0);
}

const codeKinds = new Set(["code", "test", "other"]);
// A long prompt is a document; what it asks for stands in front.
const promptChars = 600;
const fixWords =
  /\b(?:fix(?:es|ed|ing)?|bugs?|broken|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|regress\w*|errors?|wrong|leak(?:s|ing)?|does ?n[o']t work|not working)\b/i;
const refactorWords =
  /\b(?:refactor\w*|renam(?:e|ing)|extract|restructure|clean(?:ing)? ?up|split (?:up|into)|simplify|move \S+ (?:to|into)|deduplicate)\b/i;
const bugWords =
  /\b(?:fix(?:es|ed)?|bug|regression|workaround|race condition|off[- ]by[- ]one|memory leak|deadlock)\b/i;
const humanWords = /\/\/|^\s*(?:#|\*|\/\*|--)|\b(?:it|test|describe)\(/;
