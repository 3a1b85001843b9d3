// One tool use to one observation: takes the host's shape off, finds the describer of the tool, applies the caps.
import type { DraftObservation } from "../../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../../core/records/messages.ts";
import { type ToolKind, toolKind } from "../../../core/tools/tool-kind.ts";
import { readResult } from "../../../core/tools/tool-result.ts";
import { isJsonObject } from "../../../text/json.ts";
import { parseObject } from "../../../text/json-fields.ts";
import { plain } from "../../../text/plain-text.ts";
import { answerParts } from "./agent-answer.ts";
import { describePlan, describeQuestion, describeSubAgent, describeTasks } from "./agent-tools.ts";
import { describeCommand } from "./command-tools.ts";
import { describeEdit } from "./edit-tools.ts";
import { type Finding, type ToolUse, toDraft } from "./finding.ts";
import { describeRead, describeSearch } from "./look-tools.ts";
import { describeMcp, describeOther } from "./other-tools.ts";
import { describeWeb } from "./web-tools.ts";

/** The observation of one message of type `observation`. Pure; never throws for any JSON. */
export function observe({ id, message }: ClaimedMessage, userPrompt: string): DraftObservation {
  const raw = message.tool_input ?? null;
  const parsed = typeof raw === "string" ? (parseObject(raw) ?? raw) : raw;
  const called = {
    name: plain(message.tool_name ?? "").trim(),
    input: isJsonObject(parsed) ? parsed : {},
    inputText: typeof parsed === "string" ? parsed : "",
  };
  const kind = toolKind(called.name, called.input);
  const response = kind === "agent" ? answerParts(message.tool_response) : message.tool_response;
  const result = readResult(response, message.tool_failed === true);
  return toDraft(describers[kind]({ ...called, result, cwd: message.cwd ?? null, userPrompt }), id);
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
