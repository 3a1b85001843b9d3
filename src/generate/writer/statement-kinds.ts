// Kinds of statements in a model's answer, and how each is stored.
import type { StatementKind as StoredKind } from "../../core/records/statement.ts";
import type { StatementKind } from "../../statements/statement.ts";

interface KindTraits {
  /** As rules name it. */
  kind: StatementKind;
  salience: number;
}

// Fixed per kind, because a model's own numbers do not compare between calls. A missed rule or a repeated failure costs
// most; an outcome is rarely needed again.
const traits = {
  rule: { kind: "rule", salience: 4 },
  preference: { kind: "rule", salience: 3.5 },
  cause: { kind: "cause", salience: 2.4 },
  fix: { kind: "fix", salience: 3 },
  command: { kind: "finding", salience: 3.2 },
  decision: { kind: "decision", salience: 2.8 },
  fact: { kind: "finding", salience: 3 },
  state: { kind: "change", salience: 2 },
  open: { kind: "open", salience: 2 },
  outcome: { kind: "change", salience: 1.5 },
} as const satisfies Readonly<Record<StoredKind, KindTraits>>;

export const askedKinds = Object.keys(traits) as StoredKind[];

/** Undefined for an unknown kind. */
export function traitsOf(said: string): (KindTraits & { stored: StoredKind }) | undefined {
  const stored = askedKinds.find((kind) => kind === said.trim().toLowerCase());
  return stored === undefined ? undefined : { ...traits[stored], stored };
}
