// The kinds of statements that a model is asked for, and what each is stored as.
import type { StatementKind } from "../../statements/statement.ts";

/** As they stand in the answer. */
export const askedKinds = [
  "rule",
  "preference",
  "environment",
  "cause",
  "decision",
  "outcome",
  "open",
  "fix",
] as const;
export type AskedKind = (typeof askedKinds)[number];

export interface KindTraits {
  kind: StatementKind;
  salience: number;
}

// The salience of a kind is fixed: a model's own numbers do not compare from call to call. A missed rule or a repeated
// failure costs the user most; an outcome is seldom asked for again.
const traits: Readonly<Record<AskedKind, KindTraits>> = {
  rule: { kind: "rule", salience: 4 },
  preference: { kind: "rule", salience: 3.5 },
  environment: { kind: "rule", salience: 3 },
  cause: { kind: "cause", salience: 3 },
  fix: { kind: "fix", salience: 3 },
  decision: { kind: "decision", salience: 2.5 },
  open: { kind: "open", salience: 2 },
  outcome: { kind: "change", salience: 1.5 },
};

/** Undefined for a kind that was not asked for. */
export function traitsOf(said: string): KindTraits | undefined {
  const asked = askedKinds.find((kind) => kind === said.trim().toLowerCase());
  return asked === undefined ? undefined : traits[asked];
}
