// The text of an observation that its vector stands for.
import { type Observation, parseList } from "../../core/records/records.ts";

// Models read some hundred words and drop the rest; what matters stands first.
const longestChars = 4_000;

/** Title, facts and narrative; the summary where there is no narrative. */
export function observationText(
  observation: Pick<Observation, "title" | "subtitle" | "summary" | "narrative" | "facts">,
): string {
  const { title, subtitle, summary, narrative, facts } = observation;
  const parts = [title, subtitle, ...parseList(facts), narrative || summary];
  const text = parts.filter((part) => part !== null && part !== "").join("\n");
  // Half of a pair of surrogates is no text.
  return text.slice(0, longestChars).replace(/[\ud800-\udbff]$/, "");
}
