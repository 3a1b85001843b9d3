// What a model returned as statements of a turn, checked: only what its source says is kept, in the source's own words.
import { type Speaker, speakers } from "../../core/records/statement.ts";
import type { Turn } from "../../core/records/turn.ts";
import { commandFamily } from "../../statements/commands/families.ts";
import { readRuns } from "../../statements/commands/runs.ts";
import { parseRule } from "../../statements/rules/prohibitions.ts";
import type { Statement } from "../../statements/statement.ts";
import type { ReadStatement } from "./answer-schema.ts";
import { cleanLine, longest } from "./answer-words.ts";
import { type KindTraits, traitsOf } from "./statement-kinds.ts";
import { sourcesOf, type TurnSources } from "./turn-sources.ts";
import { wordingOf } from "./wording-of.ts";

/** Statements that are kept of one summary at most. */
export const mostStatements = 8;

/** A statement with what it is about in the model's words; a rule has none: it is shown to every session to come. */
export interface TitledStatement extends Statement {
  about: string;
}

interface QuotedStatements {
  kept: TitledStatement[];
  /** Found in its source, and yet not kept: a one-off instruction, or a command that fixed nothing. */
  rejected: Statement[];
}

/**
 * Drops quotations that the source does not have, rules that the user did not say in person, unknown kinds and repeats.
 * `isOfUser` is false where an agent wrote the prompt, as it does for a sub-agent.
 */
export function quotedStatements(
  read: readonly ReadStatement[],
  turn: Turn,
  { isOfUser }: { isOfUser: boolean },
): QuotedStatements {
  const sources = sourcesOf(turn, isOfUser);
  const kept = new Map<string, TitledStatement>();
  const rejected: Statement[] = [];
  for (const each of read) {
    const statement = quotedBy(each, sources);
    if (statement === undefined) continue;
    if (!isKept(statement, each, turn)) rejected.push(statement);
    else if (!kept.has(statement.text) && kept.size < mostStatements) kept.set(statement.text, statement);
  }
  return { kept: [...kept.values()], rejected };
}

function quotedBy(read: ReadStatement, sources: TurnSources): TitledStatement | undefined {
  const traits = traitsOf(read.kind);
  const found = traits === undefined ? undefined : lookUp(read, traits, sources);
  const text = cleanLine(found?.text ?? "", longest.narrative);
  if (traits === undefined || found === undefined || text === "") return undefined;
  const standing = traits.kind === "rule";
  return {
    ...traits,
    text,
    said_by: found.said_by,
    standing,
    reach: standing && read.reach === "everywhere" ? "everywhere" : "project",
    forbids: standing && parseRule(text).forbids,
    ...(found.said_by === "tool" ? { families: commandFamily(text) } : {}),
    about: standing ? "" : cleanLine(read.title, longest.title),
  };
}

// Only the user can set a rule; what else was said may be quoted from the other side. A command shows a fix and nothing else.
function lookUp(
  { said_by, quote }: ReadStatement,
  { kind }: KindTraits,
  sources: TurnSources,
): { text: string; said_by: Speaker } | undefined {
  const named = speakers.find((speaker) => speaker === said_by.trim().toLowerCase());
  if (kind === "rule" && named !== "user") return undefined;
  const allowed: readonly Speaker[] =
    kind === "rule" ? ["user"] : kind === "fix" ? speakers : ["agent", "user"];
  for (const speaker of allowed.toSorted((a, b) => Number(b === named) - Number(a === named))) {
    const text = sources[speaker](quote);
    if (text !== null) return { text, said_by: speaker };
  }
  return undefined;
}

function isKept({ text, standing, families }: Statement, read: ReadStatement, turn: Turn): boolean {
  if (standing) return read.standing && !wordingOf(text).isOneOff;
  return families === undefined || haveFailed(families, turn);
}

// A command that passed is a fix only where one of its family failed.
function haveFailed(families: readonly string[], { uses }: Turn): boolean {
  const failed = readRuns(uses).runs.filter(({ outcome }) => outcome === "failed");
  return failed.some(({ parts }) =>
    parts.some((part) => part.families.some((one) => families.includes(one))),
  );
}
