// Which observation type and concepts a change gets.
import type { ObservationConcept, ObservationType } from "../../../core/records/records.ts";
import type { FileChange } from "./patch.ts";

/**
 * The type of an edit, the first that fits: `refactor` when files only moved, `change` for documentation, configuration
 * and style, what the session's first prompt asks for, `feature` for a new file that is no test, `change`.
 */
export function changeType(changes: readonly FileChange[], userPrompt: string): ObservationType {
  if (changes.every(({ movedTo, added, removed }) => movedTo !== null && added.length + removed.length === 0))
    return "refactor";
  const code = changes.filter(({ path }) => !textFile.test(path));
  if (code.length === 0) return "change";
  const prompt = userPrompt.slice(0, promptChars);
  if (fixWords.test(prompt)) return "bugfix";
  if (refactorWords.test(prompt)) return "refactor";
  return code.some(({ kind, path }) => kind === "add" && !testFile.test(path)) ? "feature" : "change";
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

// A long prompt is a document; what it asks for stands in front.
const promptChars = 600;
const fixWords =
  /\b(?:fix(?:es|ed|ing)?|bugs?|broken|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|regress\w*|errors?|wrong|leak(?:s|ing)?|does ?n[o']t work|not working)\b/i;
const refactorWords =
  /\b(?:refactor\w*|renam(?:e|ing)|extract|restructure|clean(?:ing)? ?up|split (?:up|into)|simplify|move \S+ (?:to|into)|deduplicate)\b/i;
const textFile =
  /(?:^|[/\\])(?:readme|changelog|license|contributing|dockerfile|makefile|\.env|\.[a-z]+(?:rc|ignore|attributes)$)|\.(?:mdx?|markdown|rst|adoc|txt|jsonc?|json5|ya?ml|toml|ini|cfg|conf|env|properties|lock|css|scss|sass|less)$|\.config\.[cm]?[jt]s$/i;
const testFile =
  /(?:^|[/\\])(?:tests?|__tests__|specs?)[/\\]|[._-](?:test|spec)\.\w+$|(?:^|[/\\])test_[^/\\]*$|_test\.\w+$/i;
