// The statements of a turn as a model returned them: only what its source says is stored, in the source's own words.
import type { DraftObservation } from "../../domain/drafts.ts";
import { isJsonObject } from "../../domain/json.ts";
import type { ClaimedMessage, PendingMessage } from "../../domain/messages.ts";
import type { Mode, ModeWord } from "../../domain/mode.ts";
import { type Speaker, speakers } from "../../domain/statement.ts";
import type { Turn } from "../../domain/turn.ts";
import { withLead } from "../../statements/concluded.ts";
import { ownWords } from "../../statements/foreign-text.ts";
import { promptCuesOf } from "../../statements/prompt-cues.ts";
import { sentencesOf } from "../../statements/sentences.ts";
import type { Statement, StatementKind } from "../../statements/statement.ts";
import { draftOf, fixDrafts } from "../../statements/turn-drafts.ts";
import type { GenerationBatch } from "../provider.ts";
import { turnOf } from "../turn-of.ts";
import type { ReadStatement } from "./answer-schema.ts";
import { cleanLine, longest } from "./answer-words.ts";
import { type FindQuotation, type Passage, quotationsIn } from "./quotation.ts";
import { traitsOf } from "./statement-kinds.ts";

/** Statements of one summary at most. */
export const mostStatements = 8;

/**
 * Drafts of the statements that `summarize` was answered with. Dropped are quotations that the source does not have,
 * rules that the user did not say in person, one-off instructions, unknown kinds and repeats. Known fixes that the
 * commands themselves show are added.
 */
export function statementsOf(
  read: readonly ReadStatement[],
  summarize: ClaimedMessage,
  { batch, mode }: { batch: Pick<GenerationBatch, "messages" | "turns">; mode: Mode },
): DraftObservation[] {
  const turn = turnOf(summarize, batch.turns);
  const sources = sourcesOf(summarize.message, turn, batch.messages);
  const drafts = new Map<string, DraftObservation>();
  for (const each of read) {
    const statement = statementOf(each, sources);
    if (statement === undefined || drafts.has(statement.text)) continue;
    const draft = draftOf(statement, { turn, source: summarize.id });
    drafts.set(statement.text, { ...draft, ...subtitleOf(each, statement), ...wordsOf(draft, mode) });
    if (drafts.size === mostStatements) break;
  }
  const seen = fixDrafts(turn, summarize.id).map((draft) => ({ ...draft, ...wordsOf(draft, mode) }));
  return [...drafts.values(), ...seen];
}

type Sources = Readonly<Record<Speaker, FindQuotation>>;

function sourcesOf(
  { agent_id }: PendingMessage,
  { prompt, closing, uses }: Turn,
  messages: readonly ClaimedMessage[],
): Sources {
  const ran = [...uses, ...messages].map(({ message }) => message);
  return {
    // The prompt of a sub-agent was written by an agent.
    user: quotationsIn(agent_id === undefined ? passagesOf(ownWords(prompt)) : []),
    agent: quotationsIn(passagesOf(closing)),
    // A part of a command is another command.
    tool: quotationsIn(ran.flatMap(commandLines), Number.POSITIVE_INFINITY),
  };
}

function passagesOf(text: string): Passage[] {
  const sentences = sentencesOf(text);
  return sentences.map((sentence) => ({ text: sentence.text, shown: withLead(sentence, sentences) }));
}

function commandLines({ tool_input = null, tool_failed }: PendingMessage): Passage[] {
  const command = isJsonObject(tool_input) ? tool_input.command : undefined;
  if (tool_failed === true || typeof command !== "string") return [];
  return command.split("\n").map((line) => ({ text: line.trim(), shown: line.trim() }));
}

function statementOf(read: ReadStatement, sources: Sources): Statement | undefined {
  const traits = traitsOf(read.kind);
  if (traits === undefined) return undefined;
  const found = lookUp(read, traits.kind, sources);
  const text = cleanLine(found?.text ?? "", longest.narrative);
  if (found === undefined || text === "") return undefined;
  const cues = promptCuesOf(text);
  const standing = traits.kind === "rule";
  if (standing && (!read.standing || cues.has("oneOff"))) return undefined;
  return {
    ...traits,
    text,
    said_by: found.said_by,
    standing,
    reach: standing && read.reach === "everywhere" ? "everywhere" : "project",
    forbids: standing && cues.has("never"),
  };
}

// Only the user can set a rule; what else was said may be quoted from the other side. A command shows a fix and nothing else.
function lookUp(
  { said_by, quote }: ReadStatement,
  kind: StatementKind,
  sources: Sources,
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

// A rule is shown to every session to come: no word of it may be a model's.
function subtitleOf({ title }: ReadStatement, { kind, text }: Statement): { subtitle?: string | null } {
  if (kind === "rule") return { subtitle: null };
  const subtitle = cleanLine(title, longest.title);
  return subtitle === "" || subtitle === text ? {} : { subtitle };
}

// The words of the `code` mode, as far as the mode has them.
function wordsOf({ obs_type, concepts }: DraftObservation, mode: Mode) {
  const type = [obs_type, "conclusion"].find((word) => has(mode.types, word));
  return {
    obs_type: type ?? mode.types[0]?.id ?? obs_type,
    concepts: concepts.filter((concept) => has(mode.concepts, concept)),
  };
}

function has(words: readonly ModeWord[], wanted: string): boolean {
  return words.some(({ id }) => id === wanted);
}
