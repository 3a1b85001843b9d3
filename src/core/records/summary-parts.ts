// The parts of a session summary and their names for people.
import type { SessionSummary } from "./records.ts";

/** In the order of the whole text. */
export const summaryPartNames = {
  request: "Request",
  investigated: "Investigated",
  learned: "Learned",
  completed: "Completed",
  next_steps: "Next steps",
  notes: "Notes",
} as const;

export type SummaryPart = keyof typeof summaryPartNames;
export type SummaryParts = Pick<SessionSummary, SummaryPart>;

export const summaryParts = Object.keys(summaryPartNames) as SummaryPart[];

/** The parts of a record or draft, without its other fields. */
export function summaryPartsOf(summary: SummaryParts): SummaryParts {
  const { request, investigated, learned, completed, next_steps, notes } = summary;
  return { request, investigated, learned, completed, next_steps, notes };
}

/** The parts under their names, a line each; parts without text are left out. */
export function summaryText(parts: Readonly<Partial<SummaryParts>>): string {
  return summaryParts
    .flatMap((part) => (parts[part] ? [`${summaryPartNames[part]}: ${parts[part]}`] : []))
    .join("\n");
}
