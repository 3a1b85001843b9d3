// Parses a model's answer into drafts: keeps only what the messages and the mode support.
import type { DraftObservation, DraftSummary, Reply } from "../core/records/drafts.ts";
import type { Mode, ModeWord } from "../core/records/mode.ts";
import { type SummaryPart, summaryParts } from "../core/records/summary-parts.ts";
import { ModelFailure } from "./model-failure.ts";
import type { GenerationBatch } from "./provider.ts";
import { textOfTurn } from "./turns.ts";
import { type ReadAnswer, type ReadObservation, readAnswer } from "./writer/answer-schema.ts";
import { cleanLine, cleanLines, cleanProse, firstSentence, longest } from "./writer/answer-words.ts";
import {
  type Evidence,
  evidenceOf,
  isEndOf,
  leastTrusted,
  mentionsIn,
  spelledAs,
} from "./writer/evidence.ts";
import { findAnswer } from "./writer/find-answer.ts";
import { closedBy, type Known } from "./writer/known-things.ts";
import { ordersReader } from "./writer/sentence-checks.ts";
import { statementsOf } from "./writer/statements.ts";

/** A `bad_answer` with a reason in our own words, without text of the answer. */
export class UselessAnswer extends ModelFailure {
  readonly why: string;

  constructor(why: string) {
    super("bad_answer", `The model's answer cannot be used: ${why}.`);
    this.why = why;
  }
}

export type AnsweredBatch = Pick<GenerationBatch, "session" | "messages" | "recentTitles" | "turn"> & {
  known?: Known;
};

/**
 * Parses the answer to `batch`; the model names messages by their position from 1. The drafts are cleaned, redacted and
 * capped, without ids, types, concepts and files that were not sent or are not the mode's. Throws `bad_answer` unless the
 * answer is valid as a whole, because messages without a draft count as read.
 */
export function parseReply(text: string, batch: AnsweredBatch, mode: Mode): ReadReply {
  if (text.length > longestAnswer) throw new UselessAnswer(`it is longer than ${longestAnswer} characters`);
  const answer = shapeOf(text);
  const evidence = batch.messages.map((message) => evidenceOf(message, batch));
  const proof: Proof = { batch, evidence, mentions: mentionsIn(batch) };
  const observations = observationsOf(answer.observations, proof, mode);
  const end = batch.messages.at(-1);
  const { turn, known = { records: [] } } = batch;
  const { summary, statements, confirmed, nothing } = answer;
  const summaries =
    summary == null || turn === undefined || end === undefined
      ? []
      : summaryOf(summary, end.id, { proof, mode });
  const said = [observations, statements, confirmed, summaries].some((list) => list.length > 0);
  if (!said && !nothing)
    throw new UselessAnswer("it neither records anything nor says that there is nothing to record");
  if (turn === undefined || end === undefined) return { observations, summaries: [], closes: [] };
  const isOfUser = end.message.agent_id === undefined;
  const stated = statementsOf(answer, {
    ...{ turn, source: end.id, isOfUser, mode, known: known.records },
  });
  return {
    observations: [...observations, ...stated],
    summaries,
    closes: closedBy(answer.closes, known.records, textOfTurn(turn)).map(({ id }) => id),
  };
}

export type ReadReply = Required<Pick<Reply, "observations" | "summaries" | "closes">>;

// A full answer to twenty messages is about 30 kB.
const longestAnswer = 400_000;

function shapeOf(text: string): ReadAnswer {
  const found = findAnswer(text);
  if (found === null)
    throw new UselessAnswer(text.trim() === "" ? "it is empty" : "it holds no JSON object that can be read");
  const { success, data } = readAnswer.safeParse(found);
  if (!success) throw new UselessAnswer("its JSON has another shape than was asked for");
  return data;
}

interface Proof {
  batch: AnsweredBatch;
  /** By position, as the prompt numbers them from 1. */
  evidence: readonly Evidence[];
  /** Whether any message contains the path. */
  mentions(path: string): boolean;
}

// An observation that only asks for a summary is part of that summary.
function observationsOf(read: readonly ReadObservation[], proof: Proof, mode: Mode): DraftObservation[] {
  const ofWork = read.filter((each) => !isOfSummariesOnly(each, proof));
  const isWorkLeftOut =
    ofWork.length === 0 && proof.batch.messages.some((_, at) => isObservation(proof, at + 1));
  if (read.length > 0 && isWorkLeftOut)
    throw new UselessAnswer("its observations name only messages that ask for a summary as their sources");
  const made = ofWork.map((each) => observationOf(each, proof, mode));
  return made.filter(({ title, narrative, facts }) => ![title, narrative ?? "", ...facts].some(ordersReader));
}

function isOfSummariesOnly({ sources }: ReadObservation, { batch }: Proof): boolean {
  const isSummarize = (number: number) => batch.messages[number - 1]?.message.type === "summarize";
  return sources.length > 0 && sources.every(isSummarize);
}

function observationOf(read: ReadObservation, proof: Proof, mode: Mode): DraftObservation {
  const numbers = [...new Set(read.sources)]
    .filter((number) => isObservation(proof, number))
    .sort((a, b) => a - b);
  // A single message is the source of every observation.
  if (numbers.length === 0 && proof.batch.messages.length === 1 && isObservation(proof, 1)) numbers.push(1);
  if (numbers.length === 0)
    throw new UselessAnswer("an observation names no message that was sent as its source");
  const evidence = numbers.flatMap((number) => proof.evidence[number - 1] ?? []);
  const narrative = cleanProse(read.narrative, longest.narrative);
  const facts = cleanLines(read.facts, longest.fact, longest.facts);
  const title =
    cleanLine(read.title, longest.title) ||
    cleanLine(firstSentence(narrative) || facts[0] || "", longest.title);
  if (title === "") throw new UselessAnswer("an observation has neither title nor text");
  const subtitle = cleanLine(read.subtitle, longest.subtitle);
  const obs_type = wordOf(mode.types, read.type) ?? mode.types[0]?.id ?? "discovery";
  // A routine use that taught the model something has facts.
  const isRoutine =
    obs_type === "discovery" && facts.length === 0 && evidence.every((each) => each.routine === true);
  return {
    obs_type,
    title,
    subtitle: subtitle === "" || subtitle === title ? null : subtitle,
    summary: cleanLine(firstSentence(narrative) || title, longest.summary),
    narrative: narrative === "" ? null : narrative,
    facts,
    concepts: conceptsOf(read.concepts, mode),
    ...filesOf(read, evidence, proof),
    provenance: leastTrusted(evidence.map((each) => each.provenance)),
    sources: numbers.flatMap((number) => proof.batch.messages[number - 1]?.id ?? []),
    ...(isRoutine ? { routine: true } : {}),
  };
}

function isObservation({ batch }: Proof, number: number): boolean {
  return batch.messages[number - 1]?.message.type === "observation";
}

function summaryOf(
  read: NonNullable<ReadAnswer["summary"]>,
  source: number,
  { proof, mode }: { proof: Proof; mode: Mode },
): DraftSummary[] {
  const part = (name: SummaryPart) => {
    const text = cleanProse(read[name], longest.summaryPart);
    return text === "" || ordersReader(text) ? null : text;
  };
  const draft: DraftSummary = {
    request: part("request"),
    investigated: part("investigated"),
    learned: part("learned"),
    completed: part("completed"),
    next_steps: part("next_steps"),
    notes: part("notes"),
    facts: cleanLines(read.facts, longest.fact, longest.facts).filter((fact) => !ordersReader(fact)),
    concepts: conceptsOf(read.concepts, mode),
    ...filesOf(read, proof.evidence, proof),
    source,
  };
  return summaryParts.every((name) => draft[name] === null) ? [] : [draft];
}

// Changed files are known without the model. Other files it names count as read, when a message contains them.
function filesOf(
  read: Pick<ReadObservation, "files_read" | "files_modified">,
  evidence: readonly Evidence[],
  { mentions }: Proof,
): { files_read: string[]; files_modified: string[] } {
  const modified = withoutRepeats(evidence.flatMap((each) => each.files_modified));
  const seen = withoutRepeats([...modified, ...evidence.flatMap((each) => each.files_read)]);
  const named = [...read.files_read, ...read.files_modified].flatMap((entry) => {
    const path = cleanLine(entry, longest.path + 1);
    if (path === "" || path.length > longest.path) return [];
    return spelledAs(path, seen) ?? (mentions(path) ? path : []);
  });
  return {
    files_read: withoutRepeats([...seen, ...named])
      .filter((path) => !modified.includes(path))
      .slice(0, longest.files),
    files_modified: modified.slice(0, longest.files),
  };
}

// Of two spellings of a path the longer one stays.
function withoutRepeats(paths: readonly string[]): string[] {
  const distinct = [...new Set(paths)];
  return distinct.filter((path) => !distinct.some((other) => other !== path && isEndOf(path, other)));
}

function conceptsOf(read: readonly string[], mode: Mode): string[] {
  return [...new Set(read.flatMap((concept) => wordOf(mode.concepts, concept) ?? []))];
}

/** The id of the mode for a model's word: `Bug Fix`, `bug_fix` and the label are `bugfix`. */
function wordOf(words: readonly ModeWord[], said: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, "");
  const wanted = plain(said.slice(0, 100));
  return words.find(({ id, label }) => plain(id) === wanted || plain(label) === wanted)?.id;
}
