// A statement before it becomes an observation: a quote, its speaker, its kind.
import type { Reach, Speaker } from "../core/records/statement.ts";

/** `instruction` is a user's wish for the work at hand; `rule` stands until it is revoked. */
export type StatementKind =
  | "rule"
  | "instruction"
  | "cause"
  | "decision"
  | "open"
  | "change"
  | "finding"
  | "fix";

export interface Statement {
  kind: StatementKind;
  /** The quote on one line, with the shortest lead-in that makes it clear. */
  text: string;
  said_by: Speaker;
  standing: boolean;
  reach: Reach;
  salience: number;
  /** A rule that forbids. */
  forbids?: boolean;
  /** Command families that it is a known fix for. */
  families?: readonly string[];
  /** Raw events behind it, besides the end of the turn. */
  sources?: readonly number[];
}

/** A statement about the work of its project that is no rule. */
export function statementOnWork(said: Pick<Statement, "kind" | "text" | "said_by" | "salience">): Statement {
  return { ...said, standing: false, reach: "project" };
}
