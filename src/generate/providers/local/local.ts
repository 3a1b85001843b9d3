// The provider that needs no key and no network: deterministic observations from a tool's own input and output.
import { MemError } from "../../../errors.ts";
import type { Provider } from "../../provider.ts";
import { observe } from "./observe.ts";
import { summarize } from "./summary.ts";

/**
 * Makes exactly one observation of each tool use and one summary of each summarize message, in the order given.
 * Pure and synchronous at heart: it fails only when `signal` is already aborted.
 */
export function createLocalProvider(): Provider {
  return {
    name: "local",
    async generate({ session, messages, recentTitles }, signal) {
      if (signal.aborted) throw new MemError("cancelled");
      return {
        observations: messages
          .filter(({ message }) => message.type === "observation")
          .map((claimed) => observe(claimed, session.user_prompt)),
        summaries: messages
          .filter(({ message }) => message.type === "summarize")
          .map((claimed) => summarize(claimed, session.user_prompt, recentTitles)),
        generator: "local",
        usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      };
    },
  };
}
