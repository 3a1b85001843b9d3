// The provider over a model: one call per batch, repeated for a useless answer, split when the batch is too large.

import { MemError } from "../core/errors.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Mode } from "../core/records/mode.ts";
import { coalesced } from "./coalesce.ts";
import type { ModelAnswer, ModelClient } from "./model-client.ts";
import { ModelFailure } from "./model-failure.ts";
import { batchPrompt, fullMessageChars, systemPrompt } from "./prompt.ts";
import { type GenerationBatch, type GenerationReply, type Provider, titlesOfWork } from "./provider.ts";
import { parseReply, UselessAnswer } from "./reply.ts";
import { addUsage, noUsage, type TokenUsage } from "./token-usage.ts";
import { answerJsonSchema } from "./writer/answer-schema.ts";
import { cleanLine } from "./writer/answer-words.ts";
import type { Prompts } from "./writer/prompt-templates.ts";

export interface ModelProviderDeps {
  client: ModelClient;
  mode: Mode;
  prompts: Prompts;
}

/**
 * Asks `client` in the words of `mode`, alike messages as one. A useless answer is asked again twice, unless a message
 * failed before or an HTML page came. `overflow` and a cut answer halve the batch; a single message is shortened once.
 * Every other failure is thrown. The usage includes useless answers.
 */
export function createModelProvider({ client, mode, prompts }: ModelProviderDeps): Provider {
  const system = systemPrompt(prompts, mode);
  const schema = answerJsonSchema(mode);
  return {
    name: client.name,
    async generate(batch, signal) {
      let usage: TokenUsage = noUsage;
      let generator = client.model;
      const ask = async (part: Part): Promise<ModelAnswer> => {
        if (signal.aborted) throw new MemError("cancelled");
        const { messages } = part.batch;
        const answer = await client.complete(
          {
            system,
            prompt: batchPrompt(prompts, part.batch, part),
            maxOutputTokens: outputTokensFor(messages),
            schema,
            about: { sessionId: batch.session.id, project: batch.session.project, messages: messages.length },
          },
          signal,
        );
        usage = addUsage(usage, answer.usage);
        generator = cleanLine(answer.model, longestModelId) || client.model;
        return answer;
      };
      const drafts = await coalesced(batch, (grouped) =>
        write({ batch: grouped, maxMessageChars: fullMessageChars }, ask, mode),
      );
      return { ...drafts, generator, usage };
    },
  };
}

// When even one message is too long for the model.
const shortMessageChars = 500;

// An observation takes about 300 tokens, a statement about 80. A cut answer is asked again in halves.
const outputTokensOfAny = 1_500;
const outputTokensOfEach = 500;
const outputTokensOfStatements = 700;
const mostOutputTokens = 12_000;

function outputTokensFor(messages: readonly ClaimedMessage[]): number {
  const summaries = messages.filter(({ message }) => message.type === "summarize").length;
  const wanted =
    outputTokensOfAny + messages.length * outputTokensOfEach + summaries * outputTokensOfStatements;
  return Math.min(mostOutputTokens, wanted);
}

const mostAnswers = 3;
const longestModelId = 200;

type Drafts = Pick<GenerationReply, "observations" | "summaries">;
type Ask = (part: Part) => Promise<ModelAnswer>;

/** A batch or a part of it. */
interface Part {
  batch: GenerationBatch;
  maxMessageChars: number;
  complaint?: string | undefined;
}

async function write(part: Part, ask: Ask, mode: Mode): Promise<Drafts> {
  try {
    return await askUntilUseful(part, ask, mode);
  } catch (failure) {
    if (!isTooMuch(failure)) throw failure;
    const { messages } = part.batch;
    if (messages.length > 1) return writeHalves(part, ask, mode);
    if (part.maxMessageChars <= shortMessageChars) throw failure;
    return write({ batch: part.batch, maxMessageChars: shortMessageChars }, ask, mode);
  }
}

// The second half is shown the titles of the first: it continues the same work.
async function writeHalves(part: Part, ask: Ask, mode: Mode): Promise<Drafts> {
  const { batch, maxMessageChars } = part;
  const middle = Math.ceil(batch.messages.length / 2);
  const half = (messages: readonly ClaimedMessage[], titles: readonly string[]): Part => ({
    batch: { ...batch, messages, recentTitles: [...batch.recentTitles, ...titles] },
    maxMessageChars,
  });
  const first = await write(half(batch.messages.slice(0, middle), []), ask, mode);
  const titles = titlesOfWork(first);
  const second = await write(half(batch.messages.slice(middle), titles), ask, mode);
  return {
    observations: [...first.observations, ...second.observations],
    summaries: [...first.summaries, ...second.summaries],
  };
}

async function askUntilUseful(part: Part, ask: Ask, mode: Mode): Promise<Drafts> {
  // A message that failed before had its three answers then.
  const { messages, askOnce } = part.batch;
  const most = askOnce || messages.some(({ failures }) => failures > 0) ? 1 : mostAnswers;
  let complaint: string | undefined;
  for (let answers = 1; ; answers++) {
    try {
      return useful(await ask({ ...part, complaint }), part.batch, mode);
    } catch (failure) {
      if (!isUseless(failure) || answers === most) throw failure;
      complaint = failure instanceof UselessAnswer ? failure.why : undefined;
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

/** The answer reached its token limit: fewer messages need less. */
class AnswerCutOff extends ModelFailure {
  constructor(cause: unknown) {
    super("bad_answer", "The model's answer was cut off at its longest.", { cause });
  }
}

function useful(answer: ModelAnswer, batch: GenerationBatch, mode: Mode): Drafts {
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
function wholeAnyway(text: string, batch: GenerationBatch, mode: Mode): Drafts {
  try {
    return parseReply(text, batch, mode);
  } catch (cause) {
    throw new AnswerCutOff(cause);
  }
}
