import { expect, test } from "vitest";
import { eachMemoryStore } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();

test("the prompt of a quote is the one that has its words", () => {
  const rule = { title: "Use pnpm.", summary: "Use pnpm.", session: "a" };
  const { id } = memory.addObservation({ ...rule, prompt_number: 3 });
  const { id: other } = memory.addObservation({ session: "a", prompt_number: 3, summary: "No quote" });
  const { id: alone } = memory.addObservation({ session: "b", prompt_number: 1 });
  const insert = memory.db.prepare(
    `insert into user_prompts (id, session_id, claude_session_id, sdk_session_id, project, prompt_number, prompt_text,
       event_key, private, created_at_epoch)
     select @number + 10, session_id, 'a', sdk_session_id, project, @number, @text, @number, 0, 0
     from observations where id = @id`,
  );
  for (const [at, text] of ["Use pnpm. Then build.", "Wait", "Go on"].entries())
    insert.run({ id, number: at + 1, text });
  expect([...memory.store.review.promptIds([id, other, alone])]).toEqual([
    [id, 11],
    [other, 13],
  ]);
});

test("edited paths come from the session's edits, each once, newest first", () => {
  const { sdk_session_id } = memory.addObservation({
    session: "a",
    files_modified: ["src/a.ts", "src/b.ts"],
  });
  memory.addObservation({ session: "a", files_read: ["src/read.ts"] });
  memory.addObservation({ session: "b", files_modified: ["src/other.ts"] });
  memory.addObservation({ session: "a", files_modified: ["src/c.ts"] });
  memory.addObservation({ session: "a", files_modified: ["src/a.ts"] });
  const { editedPaths } = memory.store.observations;
  expect(editedPaths(sdk_session_id, 5)).toEqual(["src/a.ts", "src/c.ts", "src/b.ts"]);
  expect(editedPaths(sdk_session_id, 1)).toEqual(["src/a.ts"]);
  expect(editedPaths("sdk-none", 5)).toEqual([]);
});
