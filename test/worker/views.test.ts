// The routes of the viewer's pages, on a real database file, with context that hooks get.
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";
import { ask, db, eachWithAWorker, generated, hook, now, store, workIn } from "./trash-world.ts";

eachWithAWorker();

const agent = { session_id: "s-9", cwd: "/w/app" };

test("a session's injections name the moment, the cause and the records, with the text", async () => {
  await ask("POST", "/api/rules", { text: "Never use npm here.", project: "app" });
  await hook("session-start", { ...agent, hook_event_name: "SessionStart", source: "startup" });
  await hook("user-prompt-submit", {
    ...agent,
    hook_event_name: "UserPromptSubmit",
    prompt: "Add the left pad.",
  });
  await hook("pre-tool-use", {
    ...agent,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "npm install left-pad" },
  });
  const id = store.sessions.byClaudeId("s-9")?.id ?? 0;
  const { body } = await ask("GET", `/api/sessions/${id}/injections`);
  expect(body.session).toEqual({ id, claude_session_id: "s-9", project: "app" });
  const rule = { id: 1, kind: "observation", title: "Never use npm here.", is_deleted: false };
  expect(body.items).toMatchObject([
    { moment: "start", reader: "", cause: null, records: [rule] },
    { moment: "command", cause: "npm install left-pad", records: [rule] },
  ]);
  expect(body.items[1].text).toContain("Never use npm here.");
  const tokens = body.items.map((one: { tokens: number }) => one.tokens);
  expect(body.totals.tokens).toBe(tokens[0] + tokens[1]);
  const { body: second } = await ask("GET", `/api/sessions/${id}/injections?offset=1`);
  expect(second.items).toMatchObject([{ moment: "command" }]);
  expect(second.totals).toBeUndefined();
  const { body: details } = await ask("GET", "/api/observations/1/details");
  expect(details.injected).toMatchObject({ times: 2, sessions: 1 });
});

test("a session's records come in the order of their time, over pages", async () => {
  await workIn("s-1", "kumquat");
  const whole = (await ask("GET", "/api/sessions/1/records?limit=200")).body;
  const kinds = whole.items.map(({ kind }: { kind: string }) => kind);
  expect([kinds[0], kinds.at(-1)]).toEqual(["prompt", "summary"]);
  const first = (await ask("GET", "/api/sessions/1/records?limit=2")).body;
  const rest = (await ask("GET", "/api/sessions/1/records?limit=200&offset=2")).body;
  expect(first.hasMore).toBe(true);
  expect([...first.items, ...rest.items]).toEqual(whole.items);
});

test("the details of an observation have its sources, prompt and session", async () => {
  await workIn("s-1", "kumquat");
  const id = db
    .prepare<[], number>("select id from observations where said_by is null order by id")
    .pluck()
    .get();
  const { body } = await ask("GET", `/api/observations/${id}/details`);
  expect(body).toMatchObject({
    record: { id, files_modified: ["/w/app/kumquata.ts"] },
    sources: [{ kind: "observation", tool_name: "Edit", summary: "/w/app/kumquata.ts", is_cited: false }],
    session: { id: 1, title: null },
    prompt: { prompt_number: 1, prompt_text: "Please look at the kumquat parser." },
    freshness: { state: "unknown", files: [{ path: "/w/app/kumquata.ts", state: "unknown" }] },
    injected: { times: 0, last_at_epoch: null, sessions: 0 },
  });
  expect(body.tokens.text).toBeGreaterThan(0);
  expect((await ask("GET", "/api/observations/999/details")).status).toBe(404);
});

test("freshness compares the files with those that the record saw", async () => {
  const folder = tempDir();
  const file = join(folder, "a.ts");
  writeFileSync(file, "one\n");
  // The clock of this worker stands still, before the file was written.
  utimesSync(file, now / 1_000 - 60, now / 1_000 - 60);
  await ask("POST", "/observations", {
    ...{ claudeSessionId: "s-1", cwd: folder, title: "One" },
    files_modified: [file],
  });
  const state = async () => (await ask("GET", "/api/observations/1/details")).body.freshness;
  await expect.poll(state).toEqual({ state: "fresh", files: [{ path: file, state: "fresh" }] });
  writeFileSync(file, "three\n");
  expect(await state()).toMatchObject({ state: "changed" });
});

test("activity counts by day, and of one project", async () => {
  await workIn("s-1", "kumquat");
  await ask("POST", "/observations", { claudeSessionId: "s-2", project: "lib", title: "One" });
  store.injections.add(
    { session: "s-1", reader: "" },
    { moment: "start", cause: null, text: "t", tokens: 7, records: [] },
    now,
  );
  const { body } = await ask("GET", "/api/activity?days=3");
  expect(body.days).toHaveLength(3);
  const today = body.days.at(-1);
  expect(today).toMatchObject({ prompts: 1, summaries: 1, injections: 1, injected_tokens: 7 });
  const all = (await ask("GET", "/api/activity?days=3&project=app")).body.days.at(-1);
  expect(all).toMatchObject({ observations: today.observations - 1, injections: 1 });
  expect((await ask("GET", "/api/activity?project=lib")).body.days.at(-1)).toMatchObject({
    ...{ observations: 1, prompts: 0, injections: 0, injected_tokens: 0 },
  });
});

test("open work is what a session start names", async () => {
  const message = { claudeSessionId: "s-1", project: "app" };
  await ask("POST", "/api/sessions/init", { ...message, prompt: "Add the index to the orders table." });
  await ask("POST", "/api/sessions/observations", {
    ...{ ...message, tool_name: "Edit", tool_input: { file_path: "/w/app/a.sql" }, tool_response: "done" },
  });
  const said = "I added the column. The index on the orders table is still missing and has to be added next.";
  await ask("POST", "/api/sessions/summarize", { ...message, last_assistant_message: said });
  await generated();
  const { body } = await ask("GET", "/api/open-work?project=app");
  const start = (await ask("GET", "/api/context/explain?project=app")).body;
  expect(body.items).toMatchObject([
    { session_id: 1, project: "app", text: expect.stringContaining("index") },
  ]);
  expect(start.moments[0].text).toContain("## Left open");
  expect((await ask("GET", "/api/open-work?project=lib")).body.items).toEqual([]);
});

test("the feed loses and repeats nothing where many records share a moment", async () => {
  await workIn("s-1", "kumquat");
  for (let index = 0; index < 30; index++)
    await ask("POST", "/observations", { claudeSessionId: "s-1", project: "app", title: `Copy ${index}` });
  db.exec("update observations set created_at_epoch = 5; update user_prompts set created_at_epoch = 5");
  const kinds = { observation: "", session: "S", prompt: "P" };
  const name = ({ type, id }: { type: keyof typeof kinds; id: number }) => `${kinds[type]}${id}`;
  const whole = (await ask("GET", "/api/feed?limit=200")).body;
  expect([whole.items.length > 30, whole.hasMore]).toEqual([true, false]);
  const seen: string[] = [];
  for (let place = "", hasMore = true; hasMore; ) {
    const page = (await ask("GET", `/api/feed?limit=7${place}`)).body;
    hasMore = page.hasMore;
    seen.push(...page.items.map(name));
    const last = page.items.at(-1);
    place = `&before=${name(last)}&before_epoch=${last.created_at_epoch}`;
  }
  expect(seen).toEqual(whole.items.map(name));
  expect(new Set(seen).size).toBe(seen.length);
});
