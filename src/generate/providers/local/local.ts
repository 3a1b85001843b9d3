// The provider that needs no key and no network: deterministic observations from a tool's own input and output.

import { MemError } from "../../../core/errors.ts";
import type { DraftObservation, DraftSummary } from "../../../core/records/drafts.ts";
import { statementDrafts } from "../../../statements/turn-drafts.ts";
import type { Provider } from "../../provider.ts";
import { turnOf } from "../../turn-of.ts";
import { observe } from "./observe.ts";
import { summarize } from "./summary.ts";

/**
 * Makes exactly one observation of each tool use, and one summary and the statements of each turn, in the order given.
 * Pure and synchronous at heart: it fails only when `signal` is already aborted.
 */
export function createLocalProvider(): Provider {
  return {
    name: "local",
    async generate(batch, signal) {
      const { session, messages, recentTitles } = batch;
      if (signal.aborted) throw new MemError("cancelled");
      const observations: DraftObservation[] = [];
      const summaries: DraftSummary[] = [];
      // Since the summary before. What came in one batch with the end of its turn is not stored yet: a late spool brings it
      // all at once.
      let titles = [...recentTitles];
      for (const claimed of messages) {
        if (claimed.message.type === "observation") {
          const observation = observe(claimed, session.user_prompt);
          observations.push(observation);
          titles.push(observation.title);
        } else {
          summaries.push(summarize(claimed, session.user_prompt, titles));
          observations.push(...statementDrafts(turnOf(claimed, batch), claimed.id));
          titles = [];
        }
      }
      return {
        observations,
        summaries,
        generator: "local",
        usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      };
    },
  };
}
