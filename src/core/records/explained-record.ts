// Why a record is in an agent's context, in words.
import type { Reach, Speaker } from "./statement.ts";

export interface ExplainedRecord {
  /** Null for a session summary. */
  observation: {
    obs_type: string;
    said_by: Speaker | null;
    standing: 0 | 1;
    reach: Reach;
    salience: number | null;
  } | null;
  reason:
    | { by: "section"; section: string }
    | { by: "score"; score: number; shared: readonly string[]; turn: readonly string[] }
    | { by: "search" | "file" | "rule" }
    | { by: "family"; family: string };
}

/** `decision, said by user, rule in this project`. */
export function marksInWords({ observation }: ExplainedRecord): string {
  if (observation === null) return "summary";
  const { obs_type, said_by, standing, reach, salience } = observation;
  return [
    obs_type,
    ...(said_by === null ? [] : [`said by ${said_by}`]),
    ...(standing === 0 ? [] : [reach === "everywhere" ? "rule everywhere" : "rule in this project"]),
    ...(salience === null ? [] : [`salience ${salience.toFixed(1)}`]),
  ].join(", ");
}

/** Why the record is in the context of that moment. */
export function reasonInWords({ reason, observation }: ExplainedRecord, moment: string): string {
  switch (reason.by) {
    case "section":
      return `in "${reason.section}"`;
    case "score":
      return `score ${reason.score.toFixed(1)}, ${sharedWords(reason)}`;
    case "search":
      return "found by a search for the words of the prompt";
    case "file":
      return "about this file";
    case "rule":
      return moment === "file" ? "a rule about edits of this file" : "a rule that forbids this command";
    case "family":
      return `${observation?.obs_type === "bugfix" ? "a fix" : "a failure"} of \`${reason.family}\``;
    default:
      return reason satisfies never;
  }
}

function sharedWords({ shared, turn }: { shared: readonly string[]; turn: readonly string[] }): string {
  const parts = [
    ...(shared.length === 0 ? [] : [`shares ${shared.join(", ")}`]),
    ...(turn.length === 0 ? [] : [`its turn has ${turn.join(", ")}`]),
  ];
  return parts.length === 0 ? "no words in common" : parts.join("; ");
}
