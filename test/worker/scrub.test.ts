// Applying the redaction of today to a memory that was stored without it, on a real database file.
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { createDerivedRows, type IndexedTable } from "../../src/store/sqlite/derived-rows.ts";
import { findCanaries } from "../helpers/temp-dir.ts";
import {
  ask,
  db,
  eachWithAWorker,
  hits,
  idsOf,
  remove,
  rows,
  travel,
  worker,
  workIn,
} from "./trash-world.ts";

eachWithAWorker();

const word = "zebrahunter2canary";
const token = `ghp_0123456789abcdefghijhunter2hunter2abcd`;

/** Stores texts as a version without these rules would have: in every text column, and in the full text. */
function plant(from: string, to: string): void {
  const tables = db
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like '%\\_fts%' escape '\\'",
    )
    .pluck()
    .all();
  for (const table of tables) {
    const columns = db
      .prepare<[], { name: string; type: string }>(`select name, type from pragma_table_info('${table}')`)
      .all();
    for (const { name, type } of columns)
      if (type === "TEXT")
        db.prepare(`update ${table} set ${name} = replace(${name}, ?, ?) where instr(${name}, ?)`).run(
          from,
          to,
          from,
        );
  }
  const derived = createDerivedRows(db);
  for (const table of ["observations", "session_summaries", "user_prompts"] as IndexedTable[])
    for (const row of db.prepare<[], never>(`select * from ${table}`).all()) derived.rewrite(table, row);
}

interface State {
  running: boolean;
  changed: Record<string, number>;
  erased: boolean;
  files: { searched: number; words: number } | null;
  error: string | null;
  last: { ended_at_epoch: number | null; erased_at_epoch: number | null } | null;
}

async function scrub(body: object = {}): Promise<State> {
  expect((await ask("POST", "/api/scrub", body)).status).toBe(200);
  const state = async (): Promise<State> => (await ask("GET", "/api/scrub")).body;
  await expect.poll(async () => (await state()).running, { interval: 50 }).toBe(false);
  return state();
}

const tablesWith = (text: string) =>
  Object.entries(rows()).flatMap(([table, all]) => (all.some((row) => row.includes(text)) ? [table] : []));

async function oldMemory(): Promise<void> {
  await workIn("s-1", "kumquat");
  await workIn("s-2", "kumquat");
  await workIn("s-3", "papaya");
  await ask("POST", "/api/rules", { text: "Always say The next step.", project: "app" });
  await ask("POST", "/api/rules", { text: "Always use the kumquat tool.", project: "app" });
  const [first] = idsOf("observations");
  await ask("PATCH", `/api/observations/${first}`, { title: "The kumquat title", facts: ["A kumquat fact"] });
  await remove("/api/sessions/2");
  db.exec(`
    insert into injections (session, reader, moment, at_epoch, tokens, cause, records)
    values ('s-1', '', 'prompt', 1, 2, 'the kumquat prompt', ',1,');
    insert into injection_texts (injection_id, text) values (last_insert_rowid(), 'The kumquat context')`);
  plant("kumquat", `<private>${word}</private>`);
  plant("papaya", token);
}

test("leaves no byte of what is redacted today, and changes nothing the second time", async () => {
  await oldMemory();
  travel(1);
  const dry = await scrub({ dry_run: true });
  expect(dry).toMatchObject({ error: null, last: null });
  expect(tablesWith(word)).not.toEqual([]);
  const done = await scrub();
  expect(done).toMatchObject({ error: null, erased: true, changed: dry.changed, files: { words: 0 } });
  for (const table of [
    "observations",
    "session_summaries",
    "user_prompts",
    "sessions",
    "raw_events",
    "injections",
    "injection_texts",
    "trash",
    "trash_rows",
  ])
    expect([table, done.changed[table] ?? 0]).not.toEqual([table, 0]);
  expect(done.last?.ended_at_epoch).not.toBeNull();
  expect(done.last?.erased_at_epoch).not.toBeNull();
  for (const text of [word, token]) {
    expect(tablesWith(text)).toEqual([]);
    expect(await hits(text)).toBe(0);
  }
  const before = rows();
  expect(await scrub()).toMatchObject({ error: null, changed: {} });
  expect({ ...rows(), scrubs: [] }).toEqual({ ...before, scrubs: [] });
  // Last: closing the file in this process releases SQLite's locks on it.
  expect(findCanaries(dirname(db.name), ["The next "])).not.toEqual([]);
  expect(findCanaries(dirname(db.name), [word, token])).toEqual([]);
});

test("keeps the injected texts of a memory without secrets, also in the trash", async () => {
  await workIn("s-1", "kumquat");
  const block = (inside: string) => `<mem-context-0123abcd>\n${inside}\n</mem-context-0123abcd>`;
  db.exec(`
    insert into injections (session, reader, moment, at_epoch, tokens, records) values ('s-1', '', 'start', 1, 2, ',1,');
    insert into injection_texts (injection_id, text) values (last_insert_rowid(), '${block("The kumquat rule")}')`);
  const kept = db
    .prepare(
      "select text from injection_texts union all select content ->> '$.text' from trash_rows where place = 'injection_texts'",
    )
    .pluck();
  expect(await scrub()).toMatchObject({ error: null, changed: {} });
  await remove("/api/sessions/1");
  expect(await scrub()).toMatchObject({ error: null, changed: {} });
  expect(kept.all()).toEqual([block("The kumquat rule")]);
  plant("kumquat", token);
  await scrub();
  expect(kept.all()).toEqual([
    expect.stringMatching(/^<mem-context-0123abcd>\nThe (?!ghp)\S+ rule\n<\/mem-context-0123abcd>$/),
  ]);
});

test("a run after one that failed erases what that one changed", async () => {
  await workIn("s-1", "kumquat");
  plant("kumquat", token);
  db.exec(`create trigger refused before update of prompt_text on user_prompts
    begin select raise(abort, 'refused'); end`);
  expect((await scrub()).error).not.toBeNull();
  expect(tablesWith(token)).not.toContain("observations");
  db.exec("drop trigger refused");
  const done = await scrub();
  expect(done).toMatchObject({ error: null, erased: true });
  expect(done.changed.observations).toBeGreaterThan(0);
  expect(done.last?.erased_at_epoch).not.toBeNull();
  expect(findCanaries(dirname(db.name), [token])).toEqual([]);
});

test("a changed record is a new revision that is sent again; others stay as they are", async () => {
  await workIn("s-1", "kumquat");
  await workIn("s-2", "papaya");
  plant("kumquat", token);
  db.prepare("update observations set synced_at = 5").run();
  const read = () =>
    db
      .prepare<[], { id: number; session_id: number; revision: number; synced_at: number | null }>(
        "select id, session_id, revision, synced_at from observations order by id",
      )
      .all();
  const before = read();
  await scrub();
  const changed = read().filter(({ id, revision }) =>
    before.some((one) => one.id === id && one.revision < revision),
  );
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.every(({ session_id, synced_at }) => session_id === 1 && synced_at === null)).toBe(true);
  const others = read().filter(({ session_id }) => session_id === 2);
  expect(others).toEqual(before.filter(({ session_id }) => session_id === 2));
});

test("a prompt that is private as a whole today goes with the work that it caused", async () => {
  const prompt = { claudeSessionId: "s-1", project: "app", eventKey: "p-1" };
  await ask("POST", "/api/sessions/init", { ...prompt, prompt: "kumquat" });
  plant("kumquat", `<private>${word}</private>`);
  await scrub();
  expect(db.prepare("select private, prompt_text from user_prompts").all()).toEqual([
    { private: 1, prompt_text: "" },
  ]);
  expect(tablesWith(word)).toEqual([]);
});

test("goes on where the last worker stopped", async () => {
  await oldMemory();
  travel(1);
  db.exec(`insert into scrubs (at_epoch, position, rows_read, changed)
    values (1, '{"place":1,"after":0}', 7, '{"observations":3}')`);
  db.exec("delete from observations");
  worker.start();
  const last = async () => (await ask("GET", "/api/scrub")).body.last;
  await expect.poll(async () => (await last()).ended_at_epoch).not.toBeNull();
  expect((await last()).changed.observations).toBe(3);
  expect(tablesWith(word)).toEqual([]);
});
