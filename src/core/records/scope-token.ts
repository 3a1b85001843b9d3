// Tokens of the full-text column `scope`: a match filters by them instead of by a join.
import { observationTypes } from "./records.ts";

/** Token of a project, from its row id. */
export function projectToken(projectId: number): string {
  return `xp${projectId}`;
}

/**
 * Token of an observation type. The tokenizer would split a mode's type at hyphens and stem it, so that `note`, `notes` and
 * `note-taking` were one: each hyphen and digit becomes two digits, and one more digit ends the token.
 */
export function typeToken(observationType: string): string {
  if (observationTypes.some((type) => type === observationType)) return `xt${observationType}`;
  return `xu${observationType.replace(/[^a-z]/g, (letter) => String(letter.charCodeAt(0)))}0`;
}
