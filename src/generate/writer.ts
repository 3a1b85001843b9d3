// The provider over a model: one call for a turn, repeated for a useless answer, and with shorter messages where it is too long.

import { MemError } from "../core/errors.ts";
import type { Mode } from "../core/records/mode.ts";
import type { ModelAnswer, ModelClient } from "./model-client.ts";
import { ModelFailure } from "./model-failure.ts";
import { batchPrompt, fullMessageChars, type ShownBatch, systemPrompt } from "./prompt.ts";
import type { GenerationBatch, Provider } from "./provider.ts";
import { parseReply, type ReadReply, UselessAnswer } from "./reply.ts";
import { addUsage, noUsage, type TokenUsage } from "./token-usage.ts";
import { inputOf, textOfTurn } from "./turns.ts";
import { answerJsonSchema } from "./writer/answer-schema.ts";
import { cleanLine } from "./writer/answer-words.ts";
import { chooseKnown } from "./writer/known-things.ts";

export interface ModelProvider extends Provider {
  /** Characters of the request that `generate` sends. */
  charactersOf(batch: GenerationBatch): number;
}

/**
 * Asks `client` about a turn in the words of `mode`. A useless answer is asked again twice, unless a message failed before
 * or an HTML page came; `overflow` and a cut answer once, with shorter messages. Every other failure is thrown. The usage
 * includes useless answers.
 */
export function createModelProvider({ client, mode }: { client: ModelClient; mode: Mode }): ModelProvider {
  const system = systemPrompt(mode);
  const schema = answerJsonSchema(mode);
  return {
    name: client.name,
    charactersOf(batch) {
      const shown = { maxMessageChars: fullMessageChars };
      return system.length + batchPrompt(withKnown(batch), shown).length;
    },
    async generate(batch, signal) {
      let usage: TokenUsage = noUsage;
      let generator = client.model;
      const ask = async (part: Part): Promise<ModelAnswer> => {
        if (signal.aborted) throw new MemError("cancelled");
        const { messages } = part.batch;
        const answer = await client.complete(
          {
            system,
            prompt: batchPrompt(part.batch, part),
            maxOutputTokens,
            schema,
            about: { sessionId: batch.session.id, project: batch.session.project, messages: messages.length },
          },
          signal,
        );
        usage = addUsage(usage, answer.usage);
        generator = cleanLine(answer.model, longestModelId) || client.model;
        return answer;
      };
      const drafts = await write({ batch: withKnown(batch), maxMessageChars: fullMessageChars }, ask, mode);
      return { ...drafts, generator, usage, isJudged: true };
    },
  };
}

function withKnown(batch: GenerationBatch): ShownBatch {
  const { records, summary } = batch.knownBefore?.() ?? { records: [], summary: "" };
  const { messages, request = "", turn } = batch;
  const text = turn
    ? textOfTurn(turn)
    : [request, ...messages.map(({ message }) => inputOf(message))].join("\n");
  return { ...batch, known: { records: chooseKnown(records, text), summary } };
}

// When a turn is too long for the model.
const shortMessageChars = 500;

// Answers to long turns take about 3,000. A cut answer is asked again.
const maxOutputTokens = 4_000;

const mostAnswers = 3;
const longestModelId = 200;

type Ask = (part: Part) => Promise<ModelAnswer>;

interface Part {
  batch: ShownBatch;
  maxMessageChars: number;
  complaint?: string | undefined;
}

async function write(part: Part, ask: Ask, mode: Mode): Promise<ReadReply> {
  // A message that failed before had its three answers then.
  const { messages, askOnce } = part.batch;
  const most = askOnce || messages.some(({ failures }) => failures > 0) ? 1 : mostAnswers;
  let asked = part;
  for (let answers = 1; ; answers++) {
    try {
      return useful(await ask(asked), part.batch, mode);
    } catch (failure) {
      if (isTooMuch(failure) && asked.maxMessageChars !== shortMessageChars) {
        const complaint =
          failure instanceof AnswerCutOff ? "it was too long: write fewer observations" : undefined;
        asked = { ...part, maxMessageChars: shortMessageChars, complaint };
        answers = 0;
      } else if (!isUseless(failure) || answers === most) throw failure;
      else asked = { ...asked, complaint: failure instanceof UselessAnswer ? failure.why : undefined };
    }
  }
}

function isUseless(failure: unknown): boolean {
  return (
    failure instanceof ModelFailure &&
    failure.kind === "bad_answer" &&
    !failure.isPage &&
    !(failure instanceof AnswerCutOff)
  );
}

function isTooMuch(failure: unknown): boolean {
  return failure instanceof AnswerCutOff || (failure instanceof ModelFailure && failure.kind === "overflow");
}

/** The answer reached its token limit. */
class AnswerCutOff extends ModelFailure {
  constructor(cause: unknown) {
    super("bad_answer", "The model's answer was cut off at its longest.", { cause });
  }
}

function useful(answer: ModelAnswer, batch: ShownBatch, mode: Mode): ReadReply {
  switch (answer.stopped) {
    case "end":
      return parseReply(answer.text, batch, mode);
    case "length":
      return wholeAnyway(answer.text, batch, mode);
    case "refused":
      throw new ModelFailure("bad_answer", "The model would not answer.");
    default:
      return answer.stopped satisfies never;
  }
}

// Some models go on after the JSON until they are stopped.
function wholeAnyway(text: string, batch: ShownBatch, mode: Mode): ReadReply {
  try {
    return parseReply(text, batch, mode);
  } catch (cause) {
    throw new AnswerCutOff(cause);
  }
}
