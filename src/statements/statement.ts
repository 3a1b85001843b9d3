// A statement before it becomes an observation: a quote, who said it, and what it is about.
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
  | "fix"
  | "failure";

export interface Statement {
  kind: StatementKind;
  /** The quote on one line, with the least lead-in that makes it understandable alone. */
  text: string;
  said_by: Speaker;
  standing: boolean;
  reach: Reach;
  salience: number;
  /** A rule that forbids. */
  forbids?: boolean;
  /** Command families for which it is a known fix. */
  families?: readonly string[];
  /** Raw events that it rests on besides the end of the turn. */
  sources?: readonly number[];
  files?: readonly string[];
}
