// Short marks of a record in lists: its status, who said it, and routine steps that a list leaves out.
import type { ObservationStatus } from "../core/records/records.ts";
import { isProposal, type Speaker } from "../core/records/statement.ts";
import { counted } from "./words.ts";

interface Reviewed {
  status?: ObservationStatus | undefined;
  superseded_by?: number | null | undefined;
  pinned?: 0 | 1;
}

/** `pinned`, `rejected`, `superseded by 40`; nothing for an active observation. */
export function statusMarks({ status = "active", superseded_by, pinned }: Reviewed): string[] {
  // A pin outlasts a rejection, in case that is undone; until then it has no effect.
  const pin = pinned === 1 && status !== "rejected" ? ["pinned"] : [];
  if (status === "active") return pin;
  return [...pin, status === "superseded" && superseded_by ? `superseded by ${superseded_by}` : status];
}

/** A record as far as its git branch matters. */
export interface Placed {
  branch?: string | null | undefined;
  merged?: boolean | undefined;
}

/** The branch of a record that is not merged where the command runs. */
export function branchMarks({ branch, merged }: Placed): string[] {
  return merged === false && branch ? [`branch ${branch}, not merged`] : [];
}

interface Said extends NonNullable<Parameters<typeof isProposal>[0]> {
  said_by?: Speaker | null | undefined;
}

/** `rule`, `proposal`, or `said by the user`; nothing for what an agent or a tool said. */
export function speakerMarks({ said_by, ...statement }: Said): string[] {
  if (statement.standing === 1) return ["rule"];
  if (isProposal(statement)) return ["proposal"];
  return said_by === "user" ? ["said by the user"] : [];
}

/** Stands in a list for the routine steps that it leaves out, such as reads and covered edits. */
export function routineNote(count: number): string {
  return `… ${counted(count, "routine step")} (--all shows them)`;
}
