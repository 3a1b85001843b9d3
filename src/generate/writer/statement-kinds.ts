// Kinds of statements in a model's answer, and how each is stored.
import type { StatementKind } from "../../statements/statement.ts";

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

// Fixed per kind, because a model's own numbers do not compare between calls. A missed rule or a repeated failure costs
// most; an outcome is rarely needed again.
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

/** Undefined for an unknown kind. */
export function traitsOf(said: string): KindTraits | undefined {
  const asked = askedKinds.find((kind) => kind === said.trim().toLowerCase());
  return asked === undefined ? undefined : traits[asked];
}
