// Routine steps in lists for people: looks and covered edits give way to what was learned.
import { counted } from "./words.ts";

interface Step {
  routine?: 0 | 1 | undefined;
}

/** The entries that are not routine; all of them where there is nothing else. */
export function withoutRoutine<E extends Step>(entries: readonly E[]): readonly E[] {
  const lasting = entries.filter(({ routine }) => routine !== 1);
  return lasting.length === 0 ? entries : lasting;
}

/** Stands in a list for the steps that it leaves out. */
export function routineNote(count: number): string {
  return `… ${counted(count, "routine step")} (--all shows them)`;
}
