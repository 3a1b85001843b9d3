// What makes an observation a statement: something that was said or concluded, quoted.

/** Who said it; `tool` for what a failed and a later successful command show together. */
export const speakers = ["user", "agent", "tool"] as const;
export type Speaker = (typeof speakers)[number];

/** Where a rule applies. */
export const reaches = ["project", "everywhere"] as const;
export type Reach = (typeof reaches)[number];

/**
 * What a statement is. `rule`, `preference`: how the user wants work done; `decision`, `cause`, `fact`: settled, found, true
 * of the environment; `command`: how something is done here; `state`, `open`: where work stands, what is left; `fix`: what
 * a failing command needed; `outcome`: what came of a piece of work.
 */
export const statementKinds = [
  ...(["rule", "preference", "decision", "cause", "command", "fact", "state", "open"] as const),
  ...(["fix", "outcome"] as const),
] as const;
export type StatementKind = (typeof statementKinds)[number];

/** The kinds that a user or an agent names. */
export const keptKinds = statementKinds.filter((kind) => kind !== "fix" && kind !== "outcome");
export type KeptKind = (typeof keptKinds)[number];

/** True for a rule that the user has not accepted: no agent gets it. */
export function isProposal({
  standing,
  statement_kind: kind,
}: {
  standing: boolean | 0 | 1;
  statement_kind: StatementKind | null;
}) {
  return !standing && (kind === "rule" || kind === "preference");
}

/** The type, in the `code` mode, of a record that is kept by hand. */
export const typeOfKind: Readonly<Record<KeptKind, string>> = {
  rule: "decision",
  preference: "decision",
  decision: "decision",
  cause: "bugfix",
  command: "discovery",
  fact: "discovery",
  state: "change",
  open: "change",
};

/** How salient a kept record is: above what was found by its wording, below what the user wrote as a rule. */
export const salienceOf: Readonly<Record<KeptKind, number>> = {
  ...{ rule: 4.5, preference: 4.2, state: 4, open: 3.9 },
  ...{ decision: 3.8, cause: 3.6, command: 3.5, fact: 3.4 },
};

/** The generator of records that the host's agent kept itself. */
export const keptByAgent = "agent";

export interface StatementMarks {
  said_by: Speaker;
  /** Absent for a wish for the work at hand. A rule that does not stand is a proposal: it is not injected. */
  kind?: StatementKind | null | undefined;
  /** A rule, preference or environment fact that stands until the user revokes it. */
  standing: boolean;
  reach: Reach;
  /** How likely a colleague would pass it on, a logit: 0 is even, most lie between -4 and 6. */
  salience: number;
  /** Command families for which it is a known fix; see `statements/command-family.ts`. */
  families?: readonly string[];
}
