import { beforeEach, describe, expect, it } from "vitest";
import type { RecordFilter } from "../../../src/core/records/search.ts";
import { createSearchIndex } from "../../../src/store/sqlite/search-index.ts";
import { anything } from "../../helpers/memory-search.ts";
import { eachMemoryStore, someTime } from "../../helpers/memory-store.ts";

const page = { limit: 20, offset: 0 };

const memory = eachMemoryStore();
let index: ReturnType<typeof createSearchIndex>;

beforeEach(() => {
  index = createSearchIndex(memory.db);
});

const word = (text: string) => `{title facts narrative files} : ("${text}")`;

describe("match", () => {
  it("ranks a word in the title above the same word in the narrative", () => {
    const told = memory.addObservation({ narrative: "the queue was drained at last, said one" });
    const titled = memory.addObservation({ title: "Drained the queue" });
    const hits = index.observations.match(word("queue"), anything, page);
    expect(hits.map((hit) => hit.id)).toEqual([titled.id, told.id]);
    expect(hits[0]?.score).toBeLessThan(hits[1]?.score ?? 0);
  });

  it("puts the newer of two equal records first and pages without repeating one", () => {
    const ids = [1, 2, 3, 4, 5].map(() => memory.addObservation({ title: "Same words" }).id);
    const first = index.observations.match(word("same"), anything, { limit: 2, offset: 0 });
    const second = index.observations.match(word("same"), anything, { limit: 2, offset: 2 });
    expect([...first, ...second].map((hit) => hit.id)).toEqual(ids.reverse().slice(0, 4));
  });

  it("leaves out a row that was moved to another project after it was indexed", () => {
    const { id } = memory.addObservation({ project: "old", title: "Moved" });
    memory.db.prepare("update observations set project = 'new' where id = ?").run(id);
    expect(index.observations.match(word("moved"), { ...anything, project: "old" }, page)).toEqual([]);
  });

  it("finds summaries by their text and prompts by theirs, never a private prompt", () => {
    const summary = memory.addSummary({ completed: "The cache is bounded now" });
    const prompt = memory.addPrompt("please bound the cache");
    memory.addPrompt("bound my secret cache", { private: true });
    const match = '{body} : ("cache")';
    expect(index.summaries.match(match, anything, page).map((hit) => hit.id)).toEqual([summary.id]);
    expect(index.prompts.match(match, anything, page).map((hit) => hit.id)).toEqual([prompt.id]);
  });
});

describe("filters, with words and without", () => {
  const rows: [string, Partial<RecordFilter>, string[]][] = [
    ["project", { project: "app" }, ["login", "cache"]],
    ["type", { obs_type: "bugfix" }, ["login"]],
    ["one concept", { concepts: ["gotcha"] }, ["login"]],
    ["any of two concepts", { concepts: ["gotcha", "pattern"] }, ["login", "other"]],
    ["the whole path", { files: ["/w/app/src/auth/login.ts"] }, ["login"]],
    ["the end of a path", { files: ["auth/login.ts"] }, ["login"]],
    ["the end of a Windows path", { files: ["cache.ts"] }, ["cache"]],
    ["no part of a file name", { files: ["in.ts"] }, []],
    ["path wildcards as letters", { files: ["%"] }, []],
    ["from a time on", { dateStart: someTime + 1 }, ["cache"]],
    ["up to a time", { dateEnd: someTime }, ["other", "login"]],
    ["exactly one time", { dateStart: someTime, dateEnd: someTime }, ["login"]],
    ["several at once", { project: "app", dateEnd: someTime }, ["login"]],
  ];
  it.each(rows)("returns only what fits: %s", (_name, filter, titles) => {
    const records = [
      memory.addObservation({ title: "other", project: "lib", at: someTime - 5, concepts: ["pattern"] }),
      memory.addObservation({
        title: "login",
        obs_type: "bugfix",
        concepts: ["gotcha", "what-changed"],
        files_read: ["/w/app/src/auth/login.ts"],
      }),
      memory.addObservation({ title: "cache", at: someTime + 5, files_modified: ["C:\\w\\cache.ts"] }),
    ];
    const titleOf = (id: number) => records.find((record) => record.id === id)?.title;
    const full = { ...anything, ...filter };
    const listed = index.observations.newest(full, page);
    const matched = index.observations.match(`{title} : ("login" OR "cache" OR "other")`, { ...full }, page);
    expect(new Set(listed.map(titleOf))).toEqual(new Set(titles));
    if (filter.obs_type === undefined) {
      expect(new Set(matched.map((hit) => titleOf(hit.id)))).toEqual(new Set(titles));
    }
  });

  it("apply to summaries where they have the field", () => {
    const kept = memory.addSummary({ request: "a", concepts: ["gotcha"], files_modified: ["src/a.ts"] });
    memory.addSummary({ request: "b", concepts: ["pattern"], files_read: ["src/b.ts"] });
    const filter = { ...anything, concepts: ["gotcha"], files: ["a.ts"] };
    expect(index.summaries.newest(filter, page)).toEqual([kept.id]);
  });

  it("read a damaged list as an empty one", () => {
    const { id } = memory.addObservation({ title: "Damaged", concepts: ["gotcha"] });
    memory.db.prepare("update observations set concepts = '[' where id = ?").run(id);
    expect(index.observations.newest({ ...anything, concepts: ["gotcha"] }, page)).toEqual([]);
  });
});

describe("newest", () => {
  it("lists by time, not by the order of writing", () => {
    const late = memory.addObservation({ at: someTime + 10 });
    const early = memory.addObservation({ at: someTime - 10 });
    expect(index.observations.newest(anything, page)).toEqual([late.id, early.id]);
    expect(index.observations.newest(anything, { limit: 1, offset: 1 })).toEqual([early.id]);
  });

  it("never lists a private prompt", () => {
    memory.addPrompt("secret", { private: true });
    expect(index.prompts.newest(anything, page)).toEqual([]);
  });
});
