import { expect, test } from "vitest";
import { newEventOf } from "../../../src/server/intake/new-event.ts";

test("does not store a private part split over strings of a payload", () => {
  const payload = {
    lines: [" a", " <private>", "-CANARY", " </private>", " b"],
    content: [
      { type: "text", text: "a &lt;private&gt;CANARY" },
      { type: "text", text: "CANARY&lt;/private&gt; b" },
    ],
  };
  const body = {
    projectId: "p",
    sourceType: "hook",
    eventType: "tool_use",
    occurredAtEpoch: 1,
    payload,
  } as Parameters<typeof newEventOf>[1];
  const event = newEventOf({ team_id: "t", project_id: "p" }, body, { generate: false, key: undefined });
  expect(event.payload).toEqual({
    lines: [" a", " ", "", "", " b"],
    content: [
      { type: "text", text: "a " },
      { type: "text", text: " b" },
    ],
  });
});
