// Which turns get no summary.
import { expect, test } from "vitest";
import type { ClaimedMessage, PendingMessage } from "../../src/core/records/messages.ts";
import { withoutEmptyTurns } from "../../src/generate/turns.ts";

const claimed = (id: number, message: PendingMessage): ClaimedMessage => ({
  ...{ id, session_id: 1, message, created_at_epoch: id, attempts: 0, failures: 0 },
});
const use = (id: number) => claimed(id, { type: "observation", tool_name: "Read", tool_input: {} });
const end = (id: number, last_user_message: string, last_assistant_message: string) =>
  claimed(id, { type: "summarize", last_user_message, last_assistant_message });

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
  expect(withoutEmptyTurns({ messages: [end(1, question, answer)] })).toEqual([]);
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
  const turn = {
    prompt: "Continue",
    closing: "",
    previous: null,
    uses: [{ id: 1, isOfTurn: true, message }],
  };
  const batch = { messages: [ending], turns: new Map([[2, turn]]) };
  expect(withoutEmptyTurns(batch)).toEqual([ending]);
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
  expect(withoutEmptyTurns({ messages })).toEqual(messages);
});

test("a check after work gets a summary, with the work in batch or store", () => {
  const check = end(2, "Is all fine?", "Yes.");
  expect(withoutEmptyTurns({ messages: [use(1), check] })).toHaveLength(2);
  const uses = [{ id: 1, isOfTurn: true, message: use(1).message }];
  const turns = new Map([[2, { prompt: "Is all fine?", closing: "Yes.", previous: null, uses }]]);
  expect(withoutEmptyTurns({ messages: [check], turns })).toEqual([check]);
});

test("small talk gets no summary beside the work of another turn of the batch", () => {
  const work = [use(1), end(2, "Fix the login.", "Fixed: it lost its query.")];
  const messages = [...work, end(3, "Thanks!", "You're welcome!"), use(4), end(5, "ok", "Done.")];
  const kept = withoutEmptyTurns({ messages });
  expect(kept.map(({ id }) => id)).toEqual([1, 2, 4, 5]);
});
