// Joins repeated tool uses, with the same outcome and no file changed between: a model sees them once, with `times`, and
// every message is still accounted for.
import type { ClaimedMessage } from "../core/records/messages.ts";
import { toolKey } from "../core/tools/tool-kind.ts";
import { readResult } from "../core/tools/tool-result.ts";
import { isJsonObject, type Json } from "../text/json.ts";
import type { GenerationBatch, GenerationReply } from "./provider.ts";

/** Messages that are shown as one. */
export interface MessageGroup {
  /** The message as the model sees it; id and time come from the first. */
  shown: ClaimedMessage;
  /** All its messages, in order. */
  ids: number[];
}

/** Calls `generate` with the groups as messages: what it says about a message counts for all of the group. */
export async function coalesced<R extends Pick<GenerationReply, "observations">>(
  batch: GenerationBatch,
  generate: (batch: GenerationBatch) => Promise<R>,
): Promise<R> {
  const groups = coalesce(batch.messages);
  const standsFor = new Map(groups.map(({ shown, ids }) => [shown.id, ids]));
  const reply = await generate({ ...batch, messages: groups.map(({ shown }) => shown) });
  const observations = reply.observations.map((draft) => ({
    ...draft,
    sources: [...new Set(draft.sources.flatMap((id) => standsFor.get(id) ?? [id]))],
  }));
  return { ...reply, observations };
}

/** Each message is in exactly one group; groups keep the order of their first messages. */
export function coalesce(messages: readonly ClaimedMessage[]): MessageGroup[] {
  const groups: { first: ClaimedMessage; ids: number[] }[] = [];
  let known = new Map<string, number[]>();
  for (const claimed of messages) {
    const isChange = changingTool.test(toolKey(claimed.message.tool_name ?? ""));
    if (isChange) known = new Map();
    const isJoinable = claimed.message.type === "observation" && !isChange;
    const key = isJoinable ? keyOf(claimed) : "";
    const same = isJoinable ? known.get(key) : undefined;
    if (same !== undefined) {
      same.push(claimed.id);
      continue;
    }
    const ids = [claimed.id];
    groups.push({ first: claimed, ids });
    if (isJoinable) known.set(key, ids);
  }
  return groups.map(({ first, ids }) => ({
    shown: ids.length === 1 ? first : withTimes(first, ids.length),
    ids,
  }));
}

const changingTool = /edit|write|patch|replace|insert|create|delete|rename|move/;

// Without the duration, which always differs. The middle of a cut text would not be compared.
function keyOf({ message }: ClaimedMessage): string {
  const { tool_name = "", tool_input = null, tool_response = null, prompt_number, agent_id } = message;
  const { failed, exitCode, text, cut } = readResult(message.tool_response, message.tool_failed === true);
  const said = cut ? tool_response : [failed, exitCode, text || tool_response];
  return JSON.stringify([prompt_number, agent_id, toolKey(tool_name), tool_input, said]);
}

function withTimes(first: ClaimedMessage, times: number): ClaimedMessage {
  const input: Json = first.message.tool_input ?? null;
  const tool_input = isJsonObject(input) ? { ...input, times } : { input, times };
  return { ...first, message: { ...first.message, tool_input } };
}
