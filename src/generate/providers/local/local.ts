// The provider without a model: one observation for each tool use, one summary and the statements for each turn.

import { MemError } from "../../../core/errors.ts";
import type { DraftObservation, DraftSummary } from "../../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../../core/records/messages.ts";
import { readCall, type ToolKind } from "../../../core/tools/tool-kind.ts";
import { readResult } from "../../../core/tools/tool-result.ts";
import { statementDrafts } from "../../../statements/turn-drafts.ts";
import type { Provider } from "../../provider.ts";
import { noUsage } from "../../token-usage.ts";
import { describePlan, describeQuestion, describeSubAgent, describeTasks } from "./agent-tools.ts";
import { describeCommand } from "./command-tools.ts";
import { describeEdit } from "./edit-tools.ts";
import { type Finding, type ToolUse, toDraft } from "./finding.ts";
import { describeRead, describeSearch } from "./look-tools.ts";
import { describeMcp, describeOther, describeWeb } from "./other-tools.ts";
import { summarize } from "./summary.ts";

/** The observation of one tool use. Pure; accepts any JSON. */
export function observe({ id, message }: ClaimedMessage): DraftObservation {
  const call = readCall(message);
  const result = readResult(message.tool_response, message.tool_failed === true);
  return toDraft(describers[call.kind]({ ...call, result, cwd: message.cwd ?? null }), id);
}

const describers: Record<ToolKind, (use: ToolUse) => Finding> = {
  read: describeRead,
  search: describeSearch,
  edit: describeEdit,
  shell: describeCommand,
  web: describeWeb,
  agent: describeSubAgent,
  plan: describePlan,
  question: describeQuestion,
  tasks: describeTasks,
  mcp: describeMcp,
  other: describeOther,
};

/**
 * Makes exactly one observation of each tool use, and one summary and the statements of each turn, in the order given.
 * Pure and synchronous at heart: it fails only when `signal` is already aborted.
 */
export function createLocalProvider(): Provider {
  return {
    name: "local",
    async generate(batch, signal) {
      const { session, messages, recentTitles, turn } = batch;
      if (signal.aborted) throw new MemError("cancelled");
      const observations: DraftObservation[] = [];
      const summaries: DraftSummary[] = [];
      // Since the summary before. What came in one batch with the end of its turn is not stored yet: a late spool brings it
      // all together.
      let titles = [...recentTitles];
      for (const claimed of messages) {
        if (claimed.message.type === "observation") {
          const observation = observe(claimed);
          observations.push(observation);
          titles.push(observation.title);
        } else {
          summaries.push(summarize(claimed, session.user_prompt, titles));
          titles = [];
        }
      }
      const end = messages.at(-1);
      if (turn !== undefined && end !== undefined) observations.push(...statementDrafts(turn, end.id));
      return { observations, summaries, generator: "local", usage: noUsage };
    },
  };
}
