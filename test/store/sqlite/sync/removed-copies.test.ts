// A record that another device deleted leaves no copy of its text on this one.
import { expect, test } from "vitest";
import type { Sqlite } from "../../../../src/store/sqlite/open.ts";
import type { MemoryStore } from "../../../helpers/memory-store.ts";
import { createTestDevice, createTestLog, settle } from "./devices.ts";

const places = {
  sessions: "user_prompt",
  user_prompts: "prompt_text",
  observations: "title",
  session_summaries: "request",
  raw_events: "payload",
  injections: "coalesce(cause, '')",
  injection_texts: "text",
  trash_rows: "content",
};

/** Tables with the word. */
const tablesWith = (db: Sqlite, word: string) =>
  Object.entries(places).flatMap(([table, text]) =>
    db.prepare(`select 1 from ${table} where instr(${text}, ?)`).get(word) === undefined ? [] : [table],
  );

function inject({ store }: MemoryStore, session: string, id: number, cause: string | null): void {
  store.injections.add(
    { session, reader: "" },
    { text: "zebrafinch", records: [{ kind: "observation", id }], moment: "prompt", tokens: 1, cause },
    1,
  );
}

/** Two devices with a session of the first, its events, and injections on both. */
async function twoDevices() {
  const log = createTestLog();
  const [laptop, desk] = [createTestDevice("laptop", log), createTestDevice("desk", log)];
  const { memory } = laptop;
  const { rawEvents, sessions } = memory.store;
  memory.store.projects.ensure("app");
  const { prompt_number } = memory.addPrompt("zebrafinch asks", { session: "s" });
  const session = sessions.byClaudeId("s")?.id ?? 0;
  memory.db.prepare("update sessions set user_prompt = 'zebrafinch asks'").run();
  const event = (kind: string, payload: object) =>
    rawEvents.insert({
      session_id: session,
      kind: kind as "observation",
      event_key: kind,
      payload: JSON.stringify(payload),
      now: 1,
    }) ?? 0;
  const tool = event("observation", { tool_name: "Edit", tool_input: { new: "zebrafinch" } });
  event("summarize", { type: "summarize", prompt_number, last_user_message: "zebrafinch asks" });
  const { id } = memory.addObservation({ title: "zebrafinch", session: "s", sources: [tool] });
  memory.addSummary({ request: "zebrafinch", session: "s" });
  inject(memory, "s", id, "zebrafinch asks");
  await settle([laptop, desk]);
  const there = desk.memory.db.prepare<[], number>("select id from observations").pluck().get() ?? 0;
  inject(desk.memory, "another", there, null);
  return { laptop, desk };
}

const idsOf = ({ db }: MemoryStore, table: string) =>
  db.prepare<[], number>(`select id from ${table}`).pluck().all();

test("records deleted elsewhere leave no event, cause or injected text here", async () => {
  const { laptop, desk } = await twoDevices();
  const { deletions, trash, commit } = desk.memory.store;
  await commit(() => {
    for (const id of idsOf(desk.memory, "observations")) deletions.observation(id, 1);
    for (const id of idsOf(desk.memory, "session_summaries")) deletions.summary(id, 1);
    for (const id of idsOf(desk.memory, "user_prompts")) deletions.prompt(id, 1);
  });
  await settle([laptop, desk]);
  expect(tablesWith(laptop.memory.db, "zebrafinch")).toEqual([]);
  trash.empty();
  while (trash.purge(1, 100) > 0);
  expect(tablesWith(desk.memory.db, "zebrafinch")).toEqual([]);
});

test("a session deleted on one device leaves no copy on the other", async () => {
  const { laptop, desk } = await twoDevices();
  const { deletions, commit } = laptop.memory.store;
  await commit(() => deletions.session(idsOf(laptop.memory, "sessions")[0] ?? 0, 1));
  await settle([laptop, desk]);
  expect(tablesWith(desk.memory.db, "zebrafinch")).toEqual([]);
  const other = await twoDevices();
  const there = other.desk.memory.store;
  await there.commit(() => there.deletions.session(idsOf(other.desk.memory, "sessions")[0] ?? 0, 1));
  await settle([other.laptop, other.desk]);
  expect(tablesWith(other.laptop.memory.db, "zebrafinch")).toEqual([]);
});

test("a deletion by another device only makes cleaning the file due", async () => {
  const { laptop, desk } = await twoDevices();
  const { store } = laptop.memory;
  await desk.memory.store.commit(() => desk.memory.store.deletions.session(1, 1));
  expect(store.trash.hasOld(1)).toBe(false);
  await settle([laptop, desk]);
  expect(store.trash.page({ offset: 0, limit: 10, since: 0 }).items).toEqual([]);
  expect(store.trash.hasOld(1)).toBe(true);
  const week = 7 * 24 * 3_600_000;
  for (let step = 0; step < 100 && store.trash.hasOld(1); step += 1) store.trash.purge(week, 100);
  expect(store.trash.hasOld(1)).toBe(false);
});
