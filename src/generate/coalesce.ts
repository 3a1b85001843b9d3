// Joins trivial and repeated tool uses: a model sees them once, and every message is still accounted for.
//
// | what                                                            | shown                                      |
// | --------------------------------------------------------------- | ------------------------------------------ |
// | the same tool use with the same outcome, no file changed between | once, with `times`                         |
// | reads of a file where one shows what the other does             | the one that shows more, with `times`      |
// | neighbours of one tool that printed nothing                     | the first, the other inputs in `also`      |
// | neighbours that list directories                                | the first, the head of each list           |

import type { ClaimedMessage } from "../core/records/messages.ts";
import { shorten } from "../core/shorten.ts";
import { isJsonObject, type Json } from "../text/json.ts";
import type { GenerationBatch, GenerationReply } from "./provider.ts";
import { type Compared, compared, isRepeat, widerRead } from "./tool-use-likeness.ts";

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
  const groups: Group[] = [];
  let previous: Group | undefined;
  let changes = 0;
  for (const claimed of messages) {
    const use = compared(claimed);
    if (use.isChange) changes += 1;
    const how = joinOf(use, { groups, previous, changes });
    const joined = how?.group ?? { uses: [], as: "one", changes };
    if (how === undefined) groups.push(joined);
    else joined.as = how.as;
    joined.uses.push(use);
    joined.changes = changes;
    previous = joined;
  }
  return groups.map((group) => ({
    shown: show(group),
    ids: group.uses.map(({ claimed }) => claimed.id),
  }));
}

interface Group {
  uses: Compared[];
  as: "one" | "repeat" | "read" | "empty" | "listing";
  /** Changes of files before its last message. */
  changes: number;
}

function joinOf(
  use: Compared,
  { groups, previous, changes }: { groups: readonly Group[]; previous: Group | undefined; changes: number },
): { group: Group; as: Group["as"] } | undefined {
  if (use.isChange || use.claimed.message.type !== "observation") return undefined;
  for (const group of groups) {
    const [first] = group.uses;
    if (first === undefined || first.owner !== use.owner) continue;
    const isNeighbour = group === previous;
    if (fits(group, "repeat") && group.changes === changes && isRepeat(first, use))
      return { group, as: "repeat" };
    if (fits(group, "read") && widerRead(group.uses, use) !== undefined) return { group, as: "read" };
    if (isNeighbour && fits(group, "empty") && first.isEmpty && use.isEmpty && first.tool === use.tool)
      return { group, as: "empty" };
    if (isNeighbour && fits(group, "listing") && first.isListing && use.isListing)
      return { group, as: "listing" };
  }
  return undefined;
}

function fits(group: Group, as: Group["as"]): boolean {
  return group.as === "one" || group.as === as;
}

function show({ uses, as }: Group): ClaimedMessage {
  const [first, ...others] = uses;
  if (first === undefined) throw new TypeError("a group of messages is never empty");
  const { claimed } = first;
  const { message } = claimed;
  switch (as) {
    case "one":
      return claimed;
    case "repeat":
      return {
        ...claimed,
        message: { ...message, tool_input: withNote(message.tool_input, timesOf(uses)) },
      };
    case "read": {
      const { tool_input, tool_response } = (widerRead(uses) ?? first).claimed.message;
      const input = withNote(tool_input, timesOf(uses));
      return {
        ...claimed,
        message: { ...message, tool_input: input, ...(tool_response === undefined ? {} : { tool_response }) },
      };
    }
    case "empty":
      return {
        ...claimed,
        message: { ...message, tool_input: withNote(message.tool_input, alsoOf(others)) },
      };
    case "listing": {
      const lists = uses.map(({ inputText, text }) => `${shorten(inputText, 200)}\n${shorten(text, 800)}`);
      return {
        ...claimed,
        message: {
          ...message,
          tool_input: withNote(message.tool_input, alsoOf(others)),
          tool_response: lists.join("\n\n"),
        },
      };
    }
  }
}

function timesOf(uses: readonly Compared[]): { times: number } {
  return { times: uses.length };
}

function alsoOf(others: readonly Compared[]): { also: Json[] } {
  return { also: others.map(({ claimed }) => claimed.message.tool_input ?? {}) };
}

function withNote(input: Json | undefined, note: { times: number } | { also: Json[] }): Json {
  return isJsonObject(input ?? null) ? { ...(input as object), ...note } : { input: input ?? null, ...note };
}
