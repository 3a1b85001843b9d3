import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createVectors, type EmbeddedText, openVectorReader } from "../../../src/store/sqlite/vectors.ts";
import { createMemoryStore } from "../../helpers/memory-store.ts";
import { along, stored } from "../../helpers/some-vectors.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

function openVectors() {
  const path = join(tempDir(), "mem.db");
  const memory = createMemoryStore(path);
  const vectors = createVectors(memory.db);
  const reader = openVectorReader(path);
  onTestFinished(() => {
    reader.close();
    memory.close();
  });
  const set = vectors.ensureSet("builtin", "", 64);
  const put = (of: EmbeddedText, axis = 0, setId = set.id) =>
    vectors.put(setId, [{ of, ...stored(along(axis)) }]);
  const held = () => reader.page(set.id, 0, 100).map(({ id }) => id);
  const sql = (text: string, ...values: unknown[]) => memory.db.prepare(text).run(...values);
  return { ...memory, vectors, reader, set, put, held, sql };
}

describe("a vector and its observation", () => {
  test("a vector is stored with its scale and bytes, and read back", () => {
    const { addObservation, put, reader, set } = openVectors();
    const observation = addObservation({ title: "one" });
    expect(put(observation, 5)).toBe(1);
    const row = reader.vectorOf(set.id, observation.id);
    const { scale, bytes } = stored(along(5));
    expect(reader.stored(row?.row ?? 0)).toEqual([scale, Buffer.from(bytes.buffer)]);
    expect(row?.project).toBe(reader.projectId(observation.project));
  });

  test.each(["title", "subtitle", "summary", "narrative", "facts"])(
    "a change of the %s takes the vector away, and the record lacks one again",
    (column) => {
      const { addObservation, put, held, sql, vectors, set } = openVectors();
      const observation = addObservation({ title: "one" });
      put(observation);
      sql(`update observations set ${column} = ? where id = ?`, '["other"]', observation.id);
      expect(held()).toEqual([]);
      expect(vectors.lacking(set.id, Number.MAX_SAFE_INTEGER, 10).ids).toEqual([observation.id]);
    },
  );

  test("a change of anything else leaves the vector", () => {
    const { addObservation, put, held, sql } = openVectors();
    const observation = addObservation({ title: "one" });
    put(observation);
    sql("update observations set revision = revision + 1, title = title where id = ?", observation.id);
    expect(held()).toEqual([observation.id]);
  });

  test("a vector made of a text that changed meanwhile is not stored", () => {
    const { addObservation, put, held, sql } = openVectors();
    const observation = addObservation({ title: "one" });
    sql("update observations set title = 'two' where id = ?", observation.id);
    expect(put(observation)).toBe(0);
    expect(held()).toEqual([]);
  });

  test("every page of vectors is read when the newest record was embedded first", () => {
    const { addObservation, put, reader, set } = openVectors();
    const ids = ["a", "b", "c", "d", "e"].map((title) => addObservation({ title }));
    for (const observation of ids.toReversed()) put(observation);
    const first = reader.page(set.id, 0, 3);
    const second = reader.page(set.id, first.at(-1)?.row ?? 0, 3);
    expect([...first, ...second].map(({ id }) => id)).toEqual(ids.map(({ id }) => id).toReversed());
  });

  test("a vector goes with its observation, also when the session takes it along", () => {
    const { addObservation, put, held, sql } = openVectors();
    const first = addObservation({ title: "one", session: "a" });
    const second = addObservation({ title: "two", session: "b" });
    put(first);
    put(second);
    expect(put({ ...first, id: 999 })).toBe(0);
    sql("delete from observations where id = ?", first.id);
    expect(held()).toEqual([second.id]);
    sql("delete from sessions where claude_session_id = 'b'");
    expect(held()).toEqual([]);
  });
});

describe("changes for the index", () => {
  test("new, changed, moved and removed vectors are changes; other records are none", () => {
    const { addObservation, put, reader, sql } = openVectors();
    const [one, two, three] = ["one", "two", "three"].map((title) => addObservation({ title }));
    if (!one || !two || !three) throw new Error("nothing was stored");
    put(one);
    put(two);
    const seq = reader.newestChange();
    expect(reader.changedSince(seq)).toEqual({ seq, ids: [] });
    put(one, 3);
    sql("update observations set project = 'elsewhere' where id in (?, ?)", two.id, three.id);
    sql("delete from observations where id = ?", three.id);
    expect(reader.changedSince(seq)).toEqual({ seq: seq + 2, ids: [one.id, two.id] });
    sql("delete from observations where id = ?", one.id);
    expect(reader.changedSince(seq + 2)?.ids).toEqual([one.id]);
  });

  test("an index too far behind reads everything, and the change log stays short", () => {
    const { reader, sql, db } = openVectors();
    sql(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 10500)
         insert into vector_changes (observation_id) select i from n`);
    expect(reader.changedSince(100)).toBeUndefined();
    expect(reader.changedSince(600)?.ids).toHaveLength(9_900);
    expect(db.prepare("select count(*) from vector_changes").pluck().get()).toBe(10_000);
  });
});

describe("sets", () => {
  test("embedder, model and dimension make a set, once", () => {
    const { vectors, set } = openVectors();
    expect(vectors.ensureSet("builtin", "", 64)).toEqual(set);
    expect(vectors.ensureSet("http", "m", 64).id).not.toBe(set.id);
    expect(vectors.ensureSet("builtin", "", 32).id).not.toBe(set.id);
    expect(vectors.sets()).toHaveLength(3);
  });

  test("records that lack a vector are found window by window, newest first", () => {
    const { addObservation, put, vectors, set } = openVectors();
    const all = ["a", "b", "c", "d", "e"].map((title) => addObservation({ title }));
    const [, second, , fourth] = all;
    if (second && fourth) {
      put(second);
      put(fourth);
    }
    const first = vectors.lacking(set.id, Number.MAX_SAFE_INTEGER, 3);
    expect(first).toEqual({ ids: [all[4]?.id, all[2]?.id], next: all[2]?.id });
    expect(vectors.lacking(set.id, first.next ?? 0, 3)).toEqual({ ids: [all[0]?.id], next: null });
    expect(vectors.progress(set.id)).toEqual({ done: 2, total: 5 });
  });

  test("a set is dropped some rows at a time, and then itself", () => {
    const { addObservation, put, vectors, set, reader } = openVectors();
    const other = vectors.ensureSet("http", "m", 64);
    for (const title of ["a", "b", "c"]) {
      const observation = addObservation({ title });
      put(observation);
      put(observation, 1, other.id);
    }
    expect([1, 2, 3].map(() => vectors.dropSome(set.id, 2))).toEqual([false, false, true]);
    expect(vectors.sets().map(({ id }) => id)).toEqual([other.id]);
    expect(reader.page(other.id, 0, 10)).toHaveLength(3);
  });
});
