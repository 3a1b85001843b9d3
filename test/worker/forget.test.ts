// Plans of a forget, and one that a full disk interrupts.
import { expect, test } from "vitest";
import { ask, db, eachWithAWorker, generated, hits, store, tablesWith, workIn } from "./trash-world.ts";

eachWithAWorker();

async function ended() {
  await expect.poll(async () => (await ask("GET", "/api/forget")).body.running).toBe(false);
  return (await ask("GET", "/api/forget")).body;
}

test("a plan counts what is deleted, events too", async () => {
  await workIn("one", "walrus");
  await workIn("two", "heron");
  const choice = { query: "walrus" };
  const { counts, projects } = await planned(choice);
  expect(counts.observations).toBeGreaterThan(0);
  expect(projects).toEqual([
    { project: "app", records: counts.observations + counts.summaries + counts.prompts },
  ]);
  await ask("POST", "/api/forget", choice);
  const done = await ended();
  expect(done).toMatchObject({ error: null, goes_on: false });
  expect(done.counts).toEqual({ ...counts });
});

const planned = async (choice: object) => (await ask("POST", "/api/forget/plan", choice)).body;

const forget = async (choice: object) => {
  expect((await ask("POST", "/api/forget", choice)).status).toBeLessThan(300);
  return ended();
};

const inTrash = async (): Promise<string[]> =>
  (await ask("GET", "/api/trash")).body.items.map(({ project }: { project: string }) => project).sort();

test("a forget by words for good erases trash that contains them, within its filters", async () => {
  for (const project of ["shop", "bank"]) {
    await ask("POST", "/api/rules", { text: "Always feed the walrus.", project });
    await forget({ query: "walrus", project });
  }
  await ask("POST", "/api/rules", { text: "Prefer a narrative style.", project: "other" });
  const words = { query: "narrative" };
  expect(await planned(words)).toMatchObject({ trashed: 0 });
  await forget({ ...words, project: "other", forever: true });
  expect(await inTrash()).toEqual(["bank", "shop"]);
  for (const none of [{ project: "other" }, { before: "2001-01-01" }])
    expect((await planned({ query: "walrus", ...none })).trashed).toBe(0);
  const choice = { query: "walrus", project: "shop" };
  expect(await planned(choice)).toMatchObject({
    ...{ counts: { observations: 0 }, trashed: 1 },
  });
  await forget({ ...choice, forever: true });
  expect(await inTrash()).toEqual(["bank"]);
  expect((await planned({ query: "walrus", before: "2100-01-01" })).trashed).toBe(1);
});

test("a plan counts titles and causes of what stays", async () => {
  await workIn("one", "walrus");
  db.prepare("update sessions set title = 'A zebra crossing'").run();
  const { counts, copies } = await planned({ query: "zebra" });
  expect({ observations: counts.observations, copies }).toEqual({ observations: 0, copies: 1 });
  await forget({ query: "zebra", forever: true });
  expect(db.prepare("select count(*) from sessions where title is not null").pluck().get()).toBe(0);
});

test("a full disk is reported with its code, and that the worker goes on", async () => {
  await workIn("one", "walrus");
  db.pragma("wal_checkpoint(truncate)");
  db.exec("vacuum");
  db.pragma(`max_page_count = ${db.pragma("page_count", { simple: true })}`);
  await ask("POST", "/api/forget", { project: "app" });
  const state = await ended();
  expect(state).toMatchObject({ error_code: "storage_full", goes_on: true });
  expect(store.forgets.unfinished()).toBeDefined();
  db.pragma("max_page_count = 1000000");
});

/** Logs an injected text that shows the records, as in a session of the host. */
function inject(session: string, text: string, ids: readonly number[]): void {
  const records = ids.map((id) => ({ kind: "observation" as const, id }));
  const injected = { text, records, moment: "start" as const, tokens: 1, cause: null };
  store.injections.add({ session, reader: "" }, injected, 1_760_000_000_000);
}

const texts = () => db.prepare("select text from injection_texts order by injection_id").pluck().all();

test("undo of a forget restores injected texts with all records that they show", async () => {
  await workIn("one", "walrus");
  await workIn("two", "heron");
  const ids = db.prepare<[], number>("select id from observations").pluck().all();
  inject("one", "All of them", ids);
  inject("gone", "The first", ids.slice(0, 1));
  const before = texts();
  await forget({ project: "app" });
  expect(texts()).toEqual([]);
  const { items } = (await ask("GET", "/api/trash")).body;
  expect(await ask("POST", `/api/trash/${items[0].trash_id}/restore`, {})).toMatchObject({ status: 200 });
  expect(texts()).toEqual(before);
});

test("words go from injected texts of before an edit, within the filters", async () => {
  await workIn("one", "heron");
  const [id = 0] = db.prepare<[], number>("select id from observations").pluck().all();
  inject("one", "Feed the walrus.", [id]);
  inject("without a session", "A walrus at the start.", [id]);
  inject("one", "Nothing of it.", [id]);
  const before = texts();
  const query = "walrus";
  for (const none of [{ project: "other" }, { before: "2001-01-01" }, { session: "two" }])
    expect((await planned({ query, ...none })).copies ?? 0).toBe(0);
  for (const one of [{ project: "app" }, { session: "one" }])
    expect((await planned({ query, ...one })).copies).toBe(1);
  expect(await planned({ query, before: "2100-01-01" })).toMatchObject({
    counts: { observations: 0 },
    copies: 2,
  });
  expect(await forget({ query: "walrus" })).toMatchObject({ error: null, checked: { words: 1, found: 0 } });
  expect(texts()).toEqual(["Nothing of it."]);
  // One of the project, one without.
  expect(await planned({ query })).toMatchObject({ copies: 0, trashed: 2 });
  const { items } = (await ask("GET", "/api/trash")).body;
  expect(items[0].title).toBe("titles, causes or injected texts");
  await ask("POST", `/api/trash/${items[0].trash_id}/restore`, {});
  expect(texts()).toEqual(before);
  // Of another forget's entry, with the filters of the text.
  await forget({ query: "walrus", project: "app" });
  expect((await planned({ query, project: "app" })).trashed).toBe(1);
  expect((await planned({ query, session: "one" })).trashed).toBe(1);
  expect((await planned({ query, before: "2001-01-01" })).trashed).toBe(0);
  expect(await forget({ query: "walrus", forever: true })).toMatchObject({ gone: true, files: { words: 0 } });
  expect(db.prepare("select count(*) from trash_rows where content like '%walrus%'").pluck().get()).toBe(0);
});

test("a plan counts no injected text of a record that goes", async () => {
  await workIn("one", "walrus");
  const ids = db.prepare<[], number>("select id from observations").pluck().all();
  const without = await planned({ query: "walrus" });
  inject("one", "Feed the walrus.", ids);
  expect(await planned({ query: "walrus" })).toEqual(without);
  await forget({ query: "walrus" });
  expect(texts()).toEqual([]);
});

test("copies of several projects are one entry of each in the trash", async () => {
  await workIn("one", "walrus");
  await workIn("two", "heron");
  db.exec("update sessions set project = 'shop' where claude_session_id = 'two'");
  db.exec("update sessions set title = 'A zebra crossing'");
  for (const session of ["one", "two"]) inject(session, "A zebra was shown.", []);
  await forget({ query: "zebra" });
  for (const project of ["app", "shop"])
    expect((await ask("GET", `/api/trash?project=${project}`)).body.items).toHaveLength(1);
  await forget({ project: "shop", forever: true });
  const left = "select count(*) from trash_rows where content like '%zebra%'";
  expect(db.prepare(left).pluck().get()).toBe(2);
  const { items } = (await ask("GET", "/api/trash")).body;
  expect(items).toHaveLength(1);
  expect(await ask("POST", `/api/trash/${items[0].trash_id}/restore`, {})).toMatchObject({ status: 200 });
  expect(texts()).toEqual(["A zebra was shown."]);
});

test("a text that shows another project's rule goes for good with that project", async () => {
  await workIn("one", "walrus");
  await ask("POST", "/api/rules", { text: "Always feed the zebra.", project: "shop" });
  const id = db.prepare<[], number>("select max(id) from observations").pluck().get() ?? 0;
  inject("one", "Always feed the zebra.", [id]);
  await forget({ project: "shop" });
  expect(texts()).toEqual([]);
  await forget({ project: "shop", forever: true });
  expect((await ask("GET", "/api/trash")).body.items).toEqual([]);
  expect(db.prepare("select count(*) from trash_rows where content like '%zebra%'").pluck().get()).toBe(0);
});
test("words find what search finds: hyphens, Chinese, other widths and marks", async () => {
  const rows: [query: string, fact: string, found: 0 | 1][] = [
    ["utf-8", "files in UTF-8 only", 1],
    ["密码", "我的密码是秘密", 1],
    ["密码", "密 and 码", 0],
    ["API", "API密钥 is set", 1],
    ["API", "APIs", 0],
    ["istanbul", "the İSTANBUL office", 1],
    ["acme", "ＡＣＭＥ gateway", 1],
    ["cafe", "café", 1],
    ["मेल", "मूल", 0],
    ["c++", "a c++ file", 1],
    ["zebra", "first\nzebra", 1],
    ["lynx", "tab\tlynx", 1],
  ];
  await workIn("one", "walrus");
  const setFact = db.prepare(
    "update observations set facts = ? where id = (select min(id) from observations)",
  );
  for (const [query, fact, found] of rows) {
    setFact.run(JSON.stringify([fact]));
    const { status, body } = await ask("POST", "/api/forget/plan", { query });
    expect([query, fact, status, body.counts?.observations]).toEqual([query, fact, 200, found]);
  }
});

test("a record stays whose prompt has the word; undo restores the quoted prompt", async () => {
  const message = { claudeSessionId: "one", project: "app" };
  await ask("POST", "/api/sessions/init", { ...message, prompt: "Look at the walrus parser." });
  await ask("POST", "/api/sessions/summarize", {
    ...message,
    last_assistant_message: "I decided to keep the buffer at 4 kB because the loop needs it.",
  });
  await generated();
  const subtitles = () => db.prepare("select subtitle from observations").pluck().all();
  const before = subtitles();
  expect(before).toContain("Asked: Look at the walrus parser.");
  const { counts, trash_id } = await forget({ query: "walrus" });
  expect(counts).toMatchObject({ observations: 0, prompts: 1 });
  expect(subtitles()).toEqual(before.map(() => null));
  expect(await hits("buffer")).toBeGreaterThan(0);
  await ask("POST", `/api/trash/${trash_id}/restore`, {});
  expect(subtitles()).toEqual(before);
});

test("a forgotten project leaves its rules for every project, and a plan names them", async () => {
  await workIn("one", "walrus");
  await workIn("two", "heron");
  for (const reach of ["project", "everywhere"])
    await ask("POST", "/api/rules", { text: `Never feed the lynx of ${reach}.`, project: "app", reach });
  const [id = 0] = db
    .prepare<[], number>("select id from observations where reach = 'everywhere'")
    .pluck()
    .all();
  db.exec(`update observations set (session_id, sdk_session_id) =
    (select id, sdk_session_id from sessions where claude_session_id = 'one') where id = ${id}`);
  const { left_rules, counts } = await planned({ project: "app" });
  expect({ left_rules, sessions: counts.sessions }).toEqual({ left_rules: [id], sessions: 1 });
  await forget({ project: "app", query: "lynx" });
  expect(await forget({ project: "app", forever: true })).toMatchObject({ error: null, gone: true });
  expect(db.prepare("select id from observations").pluck().all()).toEqual([id]);
  for (const word of ["walrus", "heron"]) expect(tablesWith(word)).toEqual([]);
});

test("ids that name no record are refused with 404, and nothing is deleted", async () => {
  await workIn("one", "walrus");
  for (const body of [{ ids: ["1", "observation:1"] }, { ids: ["S99"] }, { session: "none" }])
    expect(await ask("POST", "/api/forget", body)).toMatchObject({ status: 404, body: { error: {} } });
  expect((await ask("GET", "/api/forget/receipts")).body.items).toEqual([]);
});

test("a session for good takes what was deleted of it before", async () => {
  await workIn("one", "walrus");
  await workIn("two", "heron");
  for (const { id } of db
    .prepare<[], { id: number }>("select min(id) as id from observations group by session_id")
    .all())
    await ask("DELETE", `/api/observations/${id}`);
  const choice = { session: "one" };
  expect((await planned(choice)).trashed).toBe(1);
  expect(await forget({ ...choice, forever: true })).toMatchObject({ gone: true });
  expect(db.prepare("select count(*) from trash_rows where content like '%walrus%'").pluck().get()).toBe(0);
  expect((await ask("GET", "/api/trash")).body.items).toHaveLength(1);
  await forget({ session: "two" });
  expect(await planned({ session: "two" })).toMatchObject({ trashed: 2 });
  await forget({ session: "two", forever: true });
  expect((await ask("GET", "/api/trash")).body.items).toEqual([]);
});

test("the undo of a forget is its own entry, not an edit from before", async () => {
  await workIn("one", "walrus");
  const id = db.prepare<[], number>("select min(id) from observations").pluck().get();
  await ask("PATCH", `/api/observations/${id}`, { title: "Edited" });
  const { trash_id } = await forget({ ids: [String(id)] });
  const undone = await ask("POST", `/api/trash/${trash_id}/restore`, {});
  expect(undone).toMatchObject({ status: 200, body: { restored: { observations: 1 } } });
  expect(db.prepare("select title from observations where id = ?").pluck().get(id)).toBe("Edited");
});
