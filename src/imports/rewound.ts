// Turns that the user rewound: they were not said, so an import leaves out their lines.
import type { JsonObject } from "../text/json.ts";
import { numberField, objectField, objectsField, textField } from "../text/json-fields.ts";
import { isOfHost } from "./claude-code.ts";
import { createMessages } from "./codex-items.ts";
import { messagesIn } from "./gemini.ts";
import { linesOf, objectsIn } from "./lines.ts";
import type { TranscriptFile } from "./transcript.ts";

type RewoundIn = TranscriptFile["rewoundIn"];

/** Codex appends how many of the last messages of the user it dropped. */
export const rewoundInCodex: RewoundIn = (path) => {
  const turns: number[] = [];
  const messageOf = createMessages();
  let announced: number | null = null;
  return rewoundBy(path, (entry, start) => {
    const { type, ...message } = messageOf(objectField(entry, "payload"));
    if (type === "task_started") announced = start;
    if (type === "user_message") {
      turns.push(announced ?? start);
      announced = null;
    }
    const count = type === "thread_rolled_back" ? (numberField(message, "num_turns") ?? 0) : 0;
    return count > 0 ? turns.splice(-count)[0] : undefined;
  });
};

/** Gemini CLI appends the id of the first message that it dropped. It drops all of them where it does not know the id. */
export const rewoundInGemini: RewoundIn = (path) => {
  const messages = new Map<string, number>();
  return rewoundBy(path, (entry, start) => {
    for (const message of messagesIn(entry)) {
      const id = textField(message, "id");
      // A list can begin with messages that stay: only the lines behind it go.
      if (id !== "" && !messages.has(id)) messages.set(id, message === entry ? start : start + 1);
    }
    const target = textField(entry, "$rewindTo");
    return target === "" ? undefined : (messages.get(target) ?? [...messages.values()][0]);
  });
};

/** `rewoundFrom` sees every line, and answers for one that takes back the lines from an offset on. */
async function rewoundBy(
  path: string,
  rewoundFrom: (entry: JsonObject, start: number) => number | undefined,
): Promise<ReadonlySet<number>> {
  const starts: number[] = [];
  const rewound = new Set<number>();
  for await (const { entry, start } of entriesOf(path)) {
    const from = rewoundFrom(entry, start);
    if (from !== undefined) for (const one of starts) if (one >= from) rewound.add(one);
    starts.push(start);
  }
  return rewound;
}

async function* entriesOf(path: string): AsyncGenerator<{ entry: JsonObject; start: number }> {
  for await (const { text, start } of linesOf(path, 0, { withRest: true })) {
    for (const entry of (text === null ? null : objectsIn(text)) ?? []) yield { entry, start };
  }
}

/** Claude Code writes the next prompt under an earlier message, and the branch of the last one counts. */
export const rewoundInClaudeCode: RewoundIn = async (path) => {
  const lines: TreeLine[] = [];
  for await (const { entry, start } of entriesOf(path)) {
    if (entry.isSidechain === true || textField(entry, "uuid") === "") continue;
    const parent = textField(entry, "parentUuid", "logicalParentUuid");
    const isSaid = entry.type === "user" || entry.type === "assistant";
    lines.push({ id: textField(entry, "uuid"), parent, start, isSaid, isPrompt: isPrompt(entry) });
  }
  const parents = new Map(lines.map(({ id, parent }) => [id, parent]));
  const standing = new Set<string>();
  let next = lines.findLast(({ isSaid }) => isSaid)?.id;
  for (; next && !standing.has(next); next = parents.get(next)) standing.add(next);
  // A line without a way to the standing branch is another beginning: it stays.
  const beside = new Set<string>();
  const rewound = new Set<string>();
  for (const { id, parent, isPrompt: opens } of lines) {
    if (standing.has(id)) continue;
    if (standing.has(parent) || beside.has(parent)) beside.add(id);
    if (rewound.has(parent) || (opens && beside.has(id))) rewound.add(id);
  }
  return new Set(lines.flatMap(({ id, start }) => (rewound.has(id) ? start : [])));
};

interface TreeLine {
  id: string;
  parent: string;
  start: number;
  isSaid: boolean;
  isPrompt: boolean;
}

// Results of parallel tools stand beside each other too: only a prompt opens a branch.
function isPrompt(entry: JsonObject): boolean {
  const { content } = objectField(entry, "message");
  const isResult = objectsField({ content: content ?? null }, "content").some(
    ({ type }) => type === "tool_result",
  );
  return entry.type === "user" && !isResult && !isOfHost(entry);
}
