// Prompts in events of clients, which can have what a host put around them.
import { expect, test } from "vitest";
import { promptOfEvent } from "../../../src/core/tools/event-message.ts";

test.each([
  ["fix it", "fix it"],
  ["<system-reminder>never</system-reminder>\nfix it", "fix it"],
  ["<task-notification>\nalways\n</task-notification>", ""],
])("the prompt of an event with %j is %j", (prompt, request) => {
  expect(promptOfEvent({ event_type: "user_prompt", payload: { prompt } })).toBe(request);
  expect(promptOfEvent({ event_type: "user_prompt", payload: prompt })).toBe(request);
  expect(promptOfEvent({ event_type: "stop", payload: { prompt } })).toBeUndefined();
});
