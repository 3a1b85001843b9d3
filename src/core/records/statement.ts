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
export function isProposal({ standing, statement_kind: kind }: Stated): boolean {
  return standing !== 1 && standing !== true && (kind === "rule" || kind === "preference");
}

interface Stated {
  standing?: 0 | 1 | boolean | undefined;
  statement_kind?: StatementKind | null | undefined;
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

/** The generator of records that the host's agent kept itself. */
export const keptByAgent = "agent";

/** Who made a record, as a name and its value: `Written by`, `rules, no model`. */
export function writerFact(generator: string): readonly [name: string, value: string] {
  if (generator === keptByAgent) return ["Kept by", "the agent"];
  return ["Written by", generator === "local" ? "rules, no model" : generator];
}

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

/** An active statement from before the end of the turn. */
export interface KnownRecord {
  id: number;
  kind: StatementKind;
  text: string;
  standing: boolean;
  /** The agent kept it in this turn. */
  isKeptNow: boolean;
}
