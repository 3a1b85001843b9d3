// Checks the statements that a model returned for a turn against their sources, and keeps the source's own words.
import {
  type KnownRecord,
  type Speaker,
  type StatementKind,
  speakers,
} from "../../core/records/statement.ts";
import type { Turn } from "../../core/records/turn.ts";
import { typedOf } from "../../core/tools/typed-text.ts";
import { userWordsIn } from "../../core/tools/user-answers.ts";
import { commandFamily } from "../../statements/commands/families.ts";
import { readRuns } from "../../statements/commands/runs.ts";
import { withLead } from "../../statements/concluded.ts";
import { parseRule } from "../../statements/rules/prohibitions.ts";
import type { Statement } from "../../statements/statement.ts";
import { sentencesOf } from "../../statements/text/sentences.ts";
import type { ReadStatement } from "./answer-schema.ts";
import { cleanLine, longest } from "./answer-words.ts";
import { mayReplace } from "./known-things.ts";
import { type FindQuotation, type Passage, quotationsIn } from "./quotation.ts";
import { canBe, ordersReader, saysEverywhere, soundsLasting } from "./sentence-checks.ts";
import { traitsOf } from "./statement-kinds.ts";

/** Per summary. */
export const mostStatements = 8;

/** `about` is the model's claim; a rule has none, because it is shown in the user's words. */
export interface TitledStatement extends Statement {
  stored: StatementKind;
  about: string;
  /** Ids of known records that it makes outdated. */
  replaces: number[];
}

interface TurnOfUser {
  turn: Turn;
  /** False for a prompt that an agent wrote for its sub-agent. */
  isOfUser: boolean;
  known: readonly KnownRecord[];
}

/** Drops quotations without a source, rules that the user did not say, what a sentence cannot be, and repeats. */
export function quotedStatements(
  read: readonly ReadStatement[],
  { turn, isOfUser, known }: TurnOfUser,
): TitledStatement[] {
  const sources = sourcesOf(turn, isOfUser);
  const kept = new Map<string, TitledStatement>();
  for (const each of read) {
    const statement = quotedBy(each, sources);
    if (statement === undefined || kept.has(statement.text) || kept.size === mostStatements) continue;
    if (!isKept(statement, each, turn)) continue;
    const outdated = [...new Set(each.replaces)].slice(0, mostReplaced);
    const replaces = outdated.filter((id) =>
      mayReplace(
        known.find((one) => one.id === id),
        statement,
      ),
    );
    kept.set(statement.text, { ...statement, replaces });
  }
  return [...kept.values()];
}

const mostReplaced = 3;

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

function quotedBy(read: ReadStatement, sources: TurnSources): Omit<TitledStatement, "replaces"> | undefined {
  const traits = traitsOf(read.kind);
  const found = traits === undefined ? undefined : lookUp(read, traits.stored, sources);
  const text = cleanLine(found?.text ?? "", longest.narrative);
  if (traits === undefined || found === undefined || text === "") return undefined;
  const { stored, ...shown } = traits;
  const isRule = traits.kind === "rule";
  const standing = isRule && soundsLasting(text);
  const isEverywhere = read.reach === "everywhere" && saysEverywhere(text);
  const about = cleanLine(read.title, longest.title);
  return {
    ...shown,
    stored,
    text,
    said_by: found.said_by,
    standing,
    reach: standing && isEverywhere ? "everywhere" : "project",
    forbids: isRule && parseRule(text).forbids,
    ...(stored === "fix" && found.said_by === "tool" ? { families: commandFamily(text) } : {}),
    about: isRule || ordersReader(about) ? "" : about,
  };
}

// Only the user sets a rule. Other kinds may be quoted from user or agent, a command also from one that ran.
function lookUp(
  { said_by, quote }: ReadStatement,
  kind: StatementKind,
  sources: TurnSources,
): { text: string; said_by: Speaker } | undefined {
  const named = speakers.find((speaker) => speaker === said_by.trim().toLowerCase());
  const isRule = kind === "rule" || kind === "preference";
  if (isRule && named !== "user") return undefined;
  const isCommand = kind === "fix" || kind === "command";
  const allowed: readonly Speaker[] = isRule ? ["user"] : isCommand ? speakers : ["agent", "user"];
  for (const speaker of allowed.toSorted((a, b) => Number(b === named) - Number(a === named))) {
    const text = sources[speaker](quote);
    if (text !== null) return { text, said_by: speaker };
  }
  return undefined;
}

function isKept(
  { text, stored, families }: Omit<TitledStatement, "replaces">,
  read: ReadStatement,
  turn: Turn,
): boolean {
  if (ordersReader(text) || !canBe(stored, text, turn)) return false;
  if (stored === "rule" || stored === "preference") return read.standing;
  return families === undefined || haveFailed(families, turn);
}

// A passed command is a fix only after one of its family failed.
function haveFailed(families: readonly string[], { uses }: Turn): boolean {
  const failed = readRuns(uses).runs.filter(({ outcome }) => outcome === "failed");
  return failed.some(({ parts }) =>
    parts.some((part) => part.families.some((one) => families.includes(one))),
  );
}
