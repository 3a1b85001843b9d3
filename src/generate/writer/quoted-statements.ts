// Checks the statements that a model returned for a turn against their sources, and keeps the source's own words.
import { type Speaker, speakers } from "../../core/records/statement.ts";
import type { Turn } from "../../core/records/turn.ts";
import { typedOf } from "../../core/tools/typed-text.ts";
import { userWordsIn } from "../../core/tools/user-answers.ts";
import { commandFamily } from "../../statements/commands/families.ts";
import { readRuns } from "../../statements/commands/runs.ts";
import { withLead } from "../../statements/concluded.ts";
import { parseRule } from "../../statements/rules/prohibitions.ts";
import type { Statement } from "../../statements/statement.ts";
import { promptCuesOf } from "../../statements/text/sentence-cues.ts";
import { sentencesOf } from "../../statements/text/sentences.ts";
import type { ReadStatement } from "./answer-schema.ts";
import { cleanLine, longest } from "./answer-words.ts";
import { type FindQuotation, type Passage, quotationsIn } from "./quotation.ts";
import { type KindTraits, traitsOf } from "./statement-kinds.ts";

/** Per summary. */
export const mostStatements = 8;

/** `about` is the model's subject; a rule has none, because it is shown to every session. */
export interface TitledStatement extends Statement {
  about: string;
}

interface QuotedStatements {
  kept: TitledStatement[];
  /** Found in the source but not kept: a one-off instruction, or a command that fixed nothing. */
  rejected: Statement[];
}

/**
 * Drops quotations without a source, rules that the user did not say, unknown kinds and repeats. `isOfUser` is false for
 * a prompt that an agent wrote for its sub-agent.
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

type TurnSources = Readonly<Record<Speaker, FindQuotation>>;

function sourcesOf(turn: Turn, isOfUser: boolean): TurnSources {
  const { closing, uses } = turn;
  const answers = uses.flatMap(({ isOfTurn, message }) => (isOfTurn ? userWordsIn(message) : []));
  const commands = readRuns(uses).runs.filter(({ outcome }) => outcome === "passed");
  return {
    user: quotationsIn(isOfUser ? [typedOf(turn), ...answers].flatMap(passagesOf) : []),
    agent: quotationsIn(passagesOf(closing)),
    // A part of a command is another command.
    tool: quotationsIn(commands.flatMap(linesOf), Number.POSITIVE_INFINITY),
  };
}

function passagesOf(text: string): Passage[] {
  const sentences = sentencesOf(text);
  return sentences.map((sentence) => ({ text: sentence.text, shown: withLead(sentence, sentences) }));
}

function linesOf({ command }: { command: string }): Passage[] {
  return command.split("\n").map((line) => ({ text: line.trim(), shown: line.trim() }));
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

// Only the user sets a rule. Other kinds may be quoted from user or agent, a fix also from a command.
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
  if (standing) return read.standing && !promptCuesOf(text).has("oneOff");
  return families === undefined || haveFailed(families, turn);
}

// A passed command is a fix only after one of its family failed.
function haveFailed(families: readonly string[], { uses }: Turn): boolean {
  const failed = readRuns(uses).runs.filter(({ outcome }) => outcome === "failed");
  return failed.some(({ parts }) =>
    parts.some((part) => part.families.some((one) => families.includes(one))),
  );
}
