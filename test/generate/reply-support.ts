// A reply with one observation a message, for tests of what calls a provider.
import type { DraftObservation } from "../../src/core/records/drafts.ts";
import type { GenerationBatch, GenerationReply } from "../../src/generate/provider.ts";

/** Each observation is titled by its writer and its message. */
export function replyOf(batch: GenerationBatch, generator: string): GenerationReply {
  const observations = batch.messages.map(
    ({ id }): DraftObservation => ({
      obs_type: "change",
      title: `${generator} ${id}`,
      subtitle: null,
      summary: "",
      narrative: null,
      facts: [],
      concepts: [],
      files_read: [],
      files_modified: [],
      provenance: "file",
      sources: [id],
    }),
  );
  const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0 };
  return { observations, summaries: [], generator, usage };
}
