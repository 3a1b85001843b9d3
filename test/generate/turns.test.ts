// Which turns get no summary.
import { expect, test } from "vitest";
import type { ClaimedMessage, PendingMessage } from "../../src/core/records/messages.ts";
import type { Turn } from "../../src/core/records/turn.ts";
import { describedOf } from "../../src/generate/turns.ts";

const claimed = (id: number, message: PendingMessage): ClaimedMessage => ({
  ...{ id, session_id: 1, message, created_at_epoch: id, attempts: 0, failures: 0 },
});
const use = (id: number) => claimed(id, { type: "observation", tool_name: "Read", tool_input: {} });
const end = (id: number, last_user_message: string, last_assistant_message: string) =>
  claimed(id, { type: "summarize", last_user_message, last_assistant_message });
const turn = (prompt: string, closing: string, ...messages: PendingMessage[]): Turn => ({
  ...{ prompt, closing, previous: null },
  uses: messages.map((message, at) => ({ id: at + 1, isOfTurn: true, message })),
});

test.each([
  ["Is all fine?", "Yes, everything is fine: both files are in place."],
  ["Are you done?", "Yes, all done. Let me know if you need anything else."],
  ["Thanks, looks good!", "You're welcome!"],
  ["hello", "Hello! How can I help you today?"],
  ["ok, go on", "Sure."],
  ["Alles gut?", "Ja, alles in Ordnung."],
  ["", ""],
  ["Add an index on the orders table.", ""],
])("a turn without a tool use gets no summary: %s", (question, answer) => {
  const batch = { messages: [end(1, question, answer)], turn: turn(question, answer) };
  expect(describedOf(batch)).toEqual({ messages: [], turn: undefined });
});

test("a turn in which the user only answered a question gets its summary", () => {
  const ending = end(2, "Continue", "");
  const message: PendingMessage = {
    type: "observation",
    tool_name: "AskUserQuestion",
    tool_input: {},
    tool_response: { answers: { "Which rates?": "ECB" } },
    turn_only: true,
  };
  expect(describedOf({ messages: [ending], turn: turn("Continue", "", message) }).messages).toEqual([ending]);
});

test.each([
  ["an explanation", "Is the queue slow?", "It is, because the lease ends before the batch does."],
  ["a figure", "Are the tests green?", "Yes, 14 of them."],
  ["an answer to a question for a fact", "Who owns billing?", "The payments team."],
  ["a wish", "Never use MySQL here.", "Understood."],
  ["a rule that the agent did not answer", "Never use MySQL here.", ""],
  [
    "a finding that the agent did not answer",
    "Note: `rates.ts` rounds every cent down, because `toFixed` was removed there; keep it like this in all of our exports.",
    "",
  ],
  ["a rule in another language", "Bei uns wird immer mit pnpm installiert, nie mit npm.", "Ok."],
  ["a wish put as a question", "Can you always use tabs?", "Sure."],
  ["a long answer", "Is it fine?", "It is. ".repeat(40)],
])("a turn without a tool use gets its summary for %s", (_what, question, answer) => {
  const messages = [end(1, question, answer)];
  expect(describedOf({ messages, turn: turn(question, answer) }).messages).toEqual(messages);
});

test("a check after work gets a summary, with the work in batch or store", () => {
  const check = end(2, "Is all fine?", "Yes.");
  const of = turn("Is all fine?", "Yes.", use(1).message);
  expect(describedOf({ messages: [use(1), check], turn: of }).messages).toHaveLength(2);
  expect(describedOf({ messages: [check], turn: of }).messages).toEqual([check]);
});
