// What a statement can be quoted from: the user's own words, the closing, and the commands that passed.
import type { Speaker } from "../../core/records/statement.ts";
import type { Turn } from "../../core/records/turn.ts";
import { readRuns } from "../../statements/commands/runs.ts";
import { withLead } from "../../statements/concluded.ts";
import { ownWordsOf } from "../../statements/text/own-words.ts";
import { sentencesOf } from "../../statements/text/sentences.ts";
import { type FindQuotation, type Passage, quotationsIn } from "./quotation.ts";

export type TurnSources = Readonly<Record<Speaker, FindQuotation>>;

/** `isOfUser` is false where an agent wrote the prompt, as it does for a sub-agent. */
export function sourcesOf(turn: Turn, isOfUser: boolean): TurnSources {
  const { closing, uses } = turn;
  const commands = readRuns(uses).runs.filter(({ outcome }) => outcome === "passed");
  return {
    user: quotationsIn(isOfUser ? passagesOf(ownWordsOf(turn)) : []),
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
