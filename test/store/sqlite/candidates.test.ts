import { beforeEach, describe, expect, it } from "vitest";
import { codeOf } from "../../../src/core/records/record-terms.ts";
import type { RecordFilter } from "../../../src/core/records/search.ts";
import { type Candidates, createCandidates } from "../../../src/store/sqlite/candidates.ts";
import { createDerivedRows } from "../../../src/store/sqlite/derived-rows.ts";
import { anything } from "../../helpers/memory-search.ts";
import { eachMemoryStore } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();
let candidates: Candidates;

beforeEach(() => {
  candidates = createCandidates(memory.db);
});

const word = (text: string) => `{title facts narrative files} : ("${text}")`;
const one = (id: number, filter: Partial<RecordFilter> = {}) =>
  candidates.some([id], { ...anything, ...filter })[0];

function holds(id: number, term: string): boolean | undefined {
  const terms = one(id)?.terms;
  return terms?.codes.subarray(terms.title, terms.end).includes(codeOf(term));
}

function edit(id: number, title: string, db = memory.db): void {
  const rows = createDerivedRows(db);
  rows.drop("observations", id);
  db.prepare("update observations set title = ? where id = ?").run(title, id);
  const record = memory.store.observations.byId(id);
  if (record !== undefined) rows.write("observations", { ...record, title });
}

describe("what the ranking reads of a record", () => {
  it("changes with a text that was edited", () => {
    const { id } = memory.addObservation({ title: "the queue" });
    expect(holds(id, "queue")).toBe(true);
    edit(id, "the cache");
    expect([holds(id, "queue"), holds(id, "cach")]).toEqual([false, true]);
  });

  it("changes with the record", () => {
    const { id } = memory.addObservation({ title: "the queue" });
    expect(one(id)?.id).toBe(id);
    memory.db.prepare("delete from observations where id = ?").run(id);
    expect(one(id)).toBeUndefined();
  });

  it("changes with what the user says of it: rejected, superseded, and neither again", () => {
    const { id } = memory.addObservation({ title: "the queue" });
    const judge = (status: "active" | "superseded" | "rejected") => {
      memory.store.review.setStanding(id, { status, pinned: 0, superseded_by: null });
      return [one(id)?.status, candidates.best(word("queue"), anything, 10)[0]?.status];
    };
    expect(judge("active")).toEqual(["active", "active"]);
    expect(judge("rejected")).toEqual([undefined, "rejected"]);
    expect(judge("superseded")).toEqual(["superseded", "superseded"]);
    expect(judge("active")).toEqual(["active", "active"]);
  });

  it("changes with the name of its project and with its type", () => {
    const { id } = memory.addObservation({ project: "old", title: "the queue", obs_type: "change" });
    expect(one(id, { project: "old", obs_type: "change" })?.id).toBe(id);
    memory.db.prepare("update observations set project = 'new', obs_type = 'bugfix' where id = ?").run(id);
    expect(one(id, { project: "old" })).toBeUndefined();
    expect(one(id, { obs_type: "change" })).toBeUndefined();
    expect(one(id, { project: "new", obs_type: "bugfix" })?.id).toBe(id);
  });
});

describe("a record of an older version, which has no terms yet", () => {
  it("is read from its text, every time again", () => {
    const { id } = memory.addObservation({ title: "the queue" });
    memory.db.exec("delete from observation_terms");
    expect(holds(id, "queue")).toBe(true);
    memory.db.prepare("update observations set title = 'the cache' where id = ?").run(id);
    expect(holds(id, "cach")).toBe(true);
    expect(one(id, { project: "other" })).toBeUndefined();
  });
});

describe("those beside a record", () => {
  it("are up to two before it and two after it in its session", () => {
    const ids = [1, 2, 3, 4, 5, 6].map(() => memory.addObservation({ title: "one", session: "a" }).id);
    memory.addObservation({ title: "other", session: "b" });
    const around = (id = 0) => candidates.beside([id]).map((standing) => standing.id);
    expect(around(ids[2]).sort()).toEqual([ids[0], ids[1], ids[3], ids[4]]);
    expect(around(ids[5]).sort()).toEqual([ids[3], ids[4]]);
  });
});

describe("how many records hold a word", () => {
  it("is the same by its stem as by a match, also after some were taken away", () => {
    const texts = ["running the queues", "a queue ran", "the Queue of v2", "xp1 runs"];
    const ids = [...texts, ...texts].map((title) => memory.addObservation({ title }).id);
    createDerivedRows(memory.db).drop("observations", ids[1] ?? 0);
    for (const [text, stem] of [
      ["queues", "queue"],
      ["queues", "queu"],
      ["running", "run"],
      ["v2", "v2"],
      ["xp1", "xp1"],
      ["nowhere", "nowher"],
    ] as const) {
      expect(candidates.frequency(word(text), stem), text).toBe(candidates.frequency(word(text)));
    }
  });
});
