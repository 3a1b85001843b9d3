// Trivial and repeated tool uses are shown to a model once: less to pay for, and every message is still accounted for.
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
import { isRepeat, type LookedAt, lookAt, widerRead } from "./tool-use-likeness.ts";

/** Messages that are shown as one. */
export interface MessageGroup {
  /** The message as the model sees it; id and time are those of the first. */
  shown: ClaimedMessage;
  /** All messages it stands for, in their order. */
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

/** Pure: each message is in exactly one group; groups stand in the order of their first messages. */
export function coalesce(messages: readonly ClaimedMessage[]): MessageGroup[] {
  const groups: Gathered[] = [];
  let previous: Gathered | undefined;
  let changes = 0;
  for (const claimed of messages) {
    const look = lookAt(claimed);
    if (look.isChange) changes += 1;
    const how = howItJoins(look, { groups, previous, changes });
    const joined = how?.group ?? { looks: [], as: "one", changes };
    if (how === undefined) groups.push(joined);
    else joined.as = how.as;
    joined.looks.push(look);
    joined.changes = changes;
    previous = joined;
  }
  return groups.map((group) => ({
    shown: show(group),
    ids: group.looks.map(({ claimed }) => claimed.id),
  }));
}

interface Gathered {
  looks: LookedAt[];
  as: "one" | "repeat" | "read" | "quiet" | "listing";
  /** Changes of files before its last message. */
  changes: number;
}

function howItJoins(
  look: LookedAt,
  {
    groups,
    previous,
    changes,
  }: { groups: readonly Gathered[]; previous: Gathered | undefined; changes: number },
): { group: Gathered; as: Gathered["as"] } | undefined {
  if (look.isChange || look.claimed.message.type !== "observation") return undefined;
  for (const group of groups) {
    const [first] = group.looks;
    if (first === undefined || first.owner !== look.owner) continue;
    const isNeighbour = group === previous;
    if (fits(group, "repeat") && group.changes === changes && isRepeat(first, look))
      return { group, as: "repeat" };
    if (fits(group, "read") && widerRead(group.looks, look) !== undefined) return { group, as: "read" };
    if (isNeighbour && fits(group, "quiet") && first.isQuiet && look.isQuiet && first.tool === look.tool)
      return { group, as: "quiet" };
    if (isNeighbour && fits(group, "listing") && first.isListing && look.isListing)
      return { group, as: "listing" };
  }
  return undefined;
}

function fits(group: Gathered, as: Gathered["as"]): boolean {
  return group.as === "one" || group.as === as;
}

function show({ looks, as }: Gathered): ClaimedMessage {
  const [first, ...others] = looks;
  if (first === undefined) throw new TypeError("a group of messages is never empty");
  const { claimed } = first;
  const { message } = claimed;
  switch (as) {
    case "one":
      return claimed;
    case "repeat":
      return {
        ...claimed,
        message: { ...message, tool_input: withNote(message.tool_input, timesOf(looks)) },
      };
    case "read": {
      const { tool_input, tool_response } = (widerRead(looks) ?? first).claimed.message;
      const input = withNote(tool_input, timesOf(looks));
      return {
        ...claimed,
        message: { ...message, tool_input: input, ...(tool_response === undefined ? {} : { tool_response }) },
      };
    }
    case "quiet":
      return {
        ...claimed,
        message: { ...message, tool_input: withNote(message.tool_input, alsoOf(others)) },
      };
    case "listing": {
      const lists = looks.map(({ inputText, text }) => `${shorten(inputText, 200)}\n${shorten(text, 800)}`);
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

function timesOf(looks: readonly LookedAt[]): { times: number } {
  return { times: looks.length };
}

function alsoOf(others: readonly LookedAt[]): { also: Json[] } {
  return { also: others.map(({ claimed }) => claimed.message.tool_input ?? {}) };
}

function withNote(input: Json | undefined, note: { times: number } | { also: Json[] }): Json {
  return isJsonObject(input ?? null) ? { ...(input as object), ...note } : { input: input ?? null, ...note };
}
