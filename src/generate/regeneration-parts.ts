// What one batch is asked for in: a call is as large as the loop's at most, however much has to be replaced together.
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { GenerationReply } from "./provider.ts";

/** Messages and characters of one call at most; one message goes whatever its size. */
export interface CallLimits {
  messages: number;
  characters: number;
}

/** The messages in their order, cut into what one call may hold. */
export function partsOf(messages: readonly ClaimedMessage[], limits: CallLimits): ClaimedMessage[][] {
  const parts: ClaimedMessage[][] = [];
  let part: ClaimedMessage[] = [];
  let characters = 0;
  for (const claimed of messages) {
    const size = JSON.stringify(claimed.message).length;
    const fits = part.length < limits.messages && characters + size <= limits.characters;
    if (part.length === 0 || !fits) {
      part = [];
      parts.push(part);
      characters = 0;
    }
    part.push(claimed);
    characters += size;
  }
  return parts;
}

/** Two replies as one: each of its own messages. */
export function joinReplies(first: GenerationReply, second: GenerationReply): GenerationReply {
  return {
    observations: [...first.observations, ...second.observations],
    summaries: [...first.summaries, ...second.summaries],
    generator: second.generator,
    usage: {
      inputTokens: first.usage.inputTokens + second.usage.inputTokens,
      outputTokens: first.usage.outputTokens + second.usage.outputTokens,
      cachedTokens: first.usage.cachedTokens + second.usage.cachedTokens,
    },
  };
}
