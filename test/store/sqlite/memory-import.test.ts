import { describe, expect, test } from "vitest";
import { emptyMemory, exported, fill, importInto, type Memory } from "./exported-memory.ts";

const filled = async (name: string, project?: string): Promise<Memory> => {
  const memory = emptyMemory();
  await fill(memory, name, project);
  return memory;
};

const all = ({ db }: Memory, sql: string): unknown[] => db.prepare(sql).raw().all();

describe("into an empty memory", () => {
  test("the next export is equal, with ids, states, edits and deleted ids", async () => {
    const lines = exported(await filled("one"));
    const copy = emptyMemory();
    expect(await importInto(copy, lines)).toEqual({ added: lines.length, present: 0, deleted: 0 });
    expect(exported(copy)).toEqual(lines);
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(
      expect.arrayContaining([
        "project",
        "session",
        "prompt",
        "observation",
        "replacement",
        "summary",
        "deleted",
      ]),
    );
  });

  test("a deleted prompt stays known to later imports of its transcript", async () => {
    const source = await filled("one");
    const copy = emptyMemory();
    await importInto(copy, exported(source));
    const keys =
      "select record_id, delivery_key, asked_at_epoch from tombstones where kind = 'prompt' and delivery_key is not null";
    expect(all(copy, keys)).toEqual(all(source, keys));
    expect(all(copy, keys)).toHaveLength(1);
  });

  test("a session that was deleted does not return from an earlier export of its project", async () => {
    const source = await filled("one");
    const [earlier, filter] = [exported(source), { project: "shop" }];
    await source.store.commit(() => source.store.deletions.session(1, 7_000));
    const copy = emptyMemory();
    await importInto(copy, exported(source, filter));
    await importInto(copy, earlier);
    expect(all(copy, "select title from observations order by 1")).toEqual(
      all(source, "select title from observations order by 1"),
    );
  });

  test("an export of the copy's copy is equal too", async () => {
    const lines = exported(await filled("one"));
    const [copy, next] = [emptyMemory(), emptyMemory()];
    await importInto(copy, lines);
    await importInto(next, exported(copy));
    expect(exported(next)).toEqual(lines);
  });

  test("records are found by their words, files and commands", async () => {
    const source = await filled("one");
    const copy = emptyMemory();
    await importInto(copy, exported(source));
    for (const sql of [
      "select rowid from observations_fts where observations_fts match 'edited' order by rowid",
      "select rowid from session_summaries_fts where session_summaries_fts match 'asked' order by rowid",
      "select rowid from user_prompts_fts where user_prompts_fts match 'please' order by rowid",
      "select path, observation_id, access from observation_files order by 1, 2",
      "select family, observation_id from fix_commands order by 1, 2",
      "select * from observation_blobs order by observation_id",
      "select id, superseded_by, status, pinned from observations order by id",
    ]) {
      expect(all(copy, sql)).toEqual(all(source, sql));
      expect(all(copy, sql)).not.toEqual([]);
    }
  });

  test("a new record does not get the id of a deleted one", async () => {
    const source = await filled("one");
    await source.store.commit(() => source.store.deletions.observation(9, 7_000));
    const copy = emptyMemory();
    await importInto(copy, exported(source));
    expect(all(copy, "select seq from sqlite_sequence where name = 'observations'")).toEqual([[9]]);
  });

  test("new records are stored beside imported ones from events of the same numbers", async () => {
    const source = await filled("one");
    const copy = emptyMemory();
    await importInto(copy, exported(source));
    await fill(copy, "two");
    expect(all(copy, "select count(*) from observations where title like 'two%'")).toEqual([[6]]);
  });
});

describe("again", () => {
  test("a repeated import adds nothing, here and where it was exported", async () => {
    const source = await filled("one");
    const lines = exported(source);
    const copy = emptyMemory();
    await importInto(copy, lines);
    expect(await importInto(copy, lines)).toEqual({ added: 0, present: lines.length, deleted: 0 });
    expect(await importInto(source, lines)).toEqual({ added: 0, present: lines.length, deleted: 0 });
    expect(exported(source)).toEqual(lines);
  });

  test("an import that ended early goes on where it stopped", async () => {
    const lines = exported(await filled("one"));
    for (const length of [1, 4, 12, 17, 20, lines.length - 1]) {
      const copy = emptyMemory();
      await importInto(copy, lines.slice(0, length));
      await importInto(copy, lines);
      expect(exported(copy)).toEqual(lines);
    }
  });

  test("what the user changed since stays, and what was deleted does not come back", async () => {
    const lines = exported(await filled("one"));
    const copy = emptyMemory();
    await importInto(copy, lines);
    const { store, db } = copy;
    await store.commit(() => {
      store.edits.observation(1, { title: "mine" }, 8_000);
      store.deletions.observation(2, 8_000);
      store.deletions.summary(1, 8_000);
      store.deletions.prompt(1, 8_000);
      store.deletions.session(2, 8_000);
    });
    const before = exported(copy);
    const { added, deleted } = await importInto(copy, lines);
    expect({ added, isLeftOut: deleted >= 4 }).toEqual({ added: 0, isLeftOut: true });
    expect(exported(copy)).toEqual(before);
    expect(db.prepare("select title from observations where id = 1").pluck().get()).toBe("mine");
  });
});

describe("into a memory with other records", () => {
  test("both are there, with new ids where these are taken", async () => {
    const [one, two] = [await filled("one"), await filled("two")];
    const lines = exported(two);
    const before = exported(one);
    await importInto(one, lines);
    const sql = "select title, status, pinned from observations where title <> 'use pnpm' order by title";
    expect(all(one, sql)).toHaveLength(2 * all(two, sql).length);
    expect(all(one, "select count(*), count(distinct id) from observations")).toEqual([[16, 16]]);
    expect(exported(one).filter((line) => before.includes(line))).toEqual(before);
    expect(await importInto(one, lines)).toEqual({ added: 0, present: lines.length, deleted: 0 });
  });

  test("a replaced observation names its successor by its new id", async () => {
    const [one, two] = [await filled("one"), await filled("two")];
    await importInto(one, exported(two));
    const sql = `select o.title, s.title from observations o join observations s on s.id = o.superseded_by
      where o.title like 'two%'`;
    expect(all(one, sql)).toEqual([["two 1 a", "two 2 b"]]);
  });

  test("a project that was renamed here keeps its name here", async () => {
    const [one, two] = [await filled("one"), await filled("two")];
    const project = one.store.projects.byLabel("shop");
    await one.store.commit(() => one.store.projectMoves.rename(project?.id ?? 0, "shop", "store"));
    await importInto(one, exported(two));
    expect(all(one, "select distinct project from observations where title like 'two%'")).toEqual([
      ["store"],
    ]);
  });

  test("records of a session that is here under another number join it", async () => {
    const [one, two] = [await filled("one"), await filled("one")];
    two.db.exec("update sessions set sdk_session_id = 'other ' || id");
    for (const table of ["observations", "session_summaries", "user_prompts"])
      two.db.exec(`update ${table} set sdk_session_id = 'other ' || session_id where session_id is not null`);
    await importInto(one, exported(two));
    expect(all(one, "select count(*) from sessions")).toEqual([[2]]);
    expect(all(one, "select count(*) from observations where sdk_session_id like 'other%'")).toEqual([[0]]);
    expect(all(one, "select count(*) from user_prompts where prompt_number <= 3")).toEqual([[5]]);
  });
});

describe("a part", () => {
  test("of one project, by today's name or an earlier one", async () => {
    const memory = await filled("one");
    await fill(memory, "two", "blog");
    const blog = exported(memory, { project: "blog" });
    expect(blog.some((line) => line.includes("one 1"))).toBe(false);
    expect(blog.filter((line) => line.includes('"type":"session"'))).toHaveLength(2);
    expect(() => exported(memory, { project: "none" })).toThrow("No project named `none`");
  });

  test("from a time on", async () => {
    const memory = await filled("one");
    const late = exported(memory, { since: 5_500 });
    expect(late.map((line) => JSON.parse(line).title ?? JSON.parse(line).label)).toEqual([
      "shop",
      "use pnpm",
    ]);
  });
});

test("an export stands for its sessions until their last activity, a later one longer", async () => {
  const source = await filled("one");
  const copy = emptyMemory();
  await importInto(copy, exported(source));
  const until = "select max(represented_until_epoch) from sessions";
  const before = Number(copy.db.prepare(until).pluck().get());
  expect(copy.store.imports.isRepresented(1, before)).toBe(true);
  expect(copy.store.prompts.unfinished(1)).toBeUndefined();
  source.store.sessions.touch(1, before + 5_000);
  await importInto(copy, exported(source));
  expect(copy.store.imports.isRepresented(1, before + 5_000)).toBe(true);
  await importInto(source, exported(copy));
  expect(source.store.imports.isRepresented(1, 0)).toBe(false);
});

test("an export does not stand for events that waited for their records", async () => {
  const source = await filled("one");
  const { db, store } = source;
  const payload = JSON.stringify({ type: "observation", tool_name: "Edit", tool_input: {} });
  const id = store.rawEvents.insert({
    session_id: 1,
    kind: "observation",
    event_key: "late",
    payload,
    now: 900,
  });
  store.pending.enqueue(Number(id), 1, 900);
  const copy = emptyMemory();
  await importInto(copy, exported(source));
  expect(db.prepare("select max(last_active_at_epoch) from sessions").pluck().get()).toBeGreaterThan(900);
  expect(copy.store.imports.isRepresented(1, 899)).toBe(true);
  expect(copy.store.imports.isRepresented(1, 900)).toBe(false);
});
