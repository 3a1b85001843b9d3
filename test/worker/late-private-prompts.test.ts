// A private prompt that arrives after records of its turn: the stream reports what it deleted.
import { expect, test } from "vitest";
import { ask, db, eachWithAWorker, generated, hook, idsOf, listen } from "./trash-world.ts";

eachWithAWorker();

const session = { claudeSessionId: "s-9", project: "app" };
const privatePrompt = () =>
  hook("user-prompt-submit", {
    ...{ session_id: "s-9", cwd: "/tmp/w", hook_event_name: "UserPromptSubmit" },
    ...{ prompt: "<private>all of it</private>", prompt_id: "q9" },
  });

test("its records leave the stream, and what they had replaced is active again", async () => {
  await ask("POST", "/observations", { ...session, claudeSessionId: "s-1", title: "Old" });
  await ask("POST", "/api/sessions/init", { ...session, prompt: "Please look at it." });
  const message = { ...session, promptKey: "q9" };
  await ask("POST", "/api/sessions/observations", {
    ...message,
    ...{ tool_name: "Edit", tool_use_id: "u1", tool_response: "done" },
    tool_input: { file_path: "/w/app/kumquat.ts", old_string: "a", new_string: "b" },
  });
  const last_assistant_message =
    "The parser lost the last token because the buffer was cut. I fixed the loop.";
  await ask("POST", "/api/sessions/summarize", { ...message, last_assistant_message });
  await generated();
  const made = idsOf("observations").filter((id) => id !== 1);
  const summaries = idsOf("session_summaries");
  expect([made.length > 0, summaries.length]).toEqual([true, 1]);
  await ask("POST", "/api/observations/1/status", { status: "superseded", superseded_by: made[0] });
  const events = await listen();
  await privatePrompt();
  expect(db.prepare("select id from observations").pluck().all()).toEqual([1]);
  const of = (type: string) => events.filter((event) => event.type === type);
  await expect.poll(() => of("record_deleted").length).toBe(made.length + 1);
  expect(of("record_deleted")).toMatchObject([
    ...made.map((id) => ({ kind: "observation", id, project: "app" })),
    { kind: "summary", id: summaries[0], project: "app" },
  ]);
  expect(of("observation_changed")).toMatchObject([
    { observation: { id: 1, status: "active", superseded_by: null } },
  ]);
});

test("its waiting messages leave the reported queue", async () => {
  await ask("POST", "/api/sessions/init", { ...session, prompt: "Please look at it." });
  await ask("POST", "/api/sessions/observations", {
    ...{ ...session, promptKey: "q9", tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "x" },
  });
  const events = await listen();
  const depths = () =>
    events.flatMap(({ type, queueDepth }) => (type === "processing_status" ? [queueDepth] : []));
  await privatePrompt();
  await expect.poll(() => depths().at(-1)).toBe(0);
});
