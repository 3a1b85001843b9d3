import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Search } from "../../src/recall/search.ts";
import { createMemorySearch } from "../helpers/memory-search.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

let memory: MemoryStore;
let search: Search;
const ids = { redirect: 0, cookie: 0, small: 0 };

// In one project every record names the login, which is more than a prompt should have to look through.
beforeAll(() => {
  memory = createMemoryStore();
  const add = memory.db.transaction(() => {
    for (let n = 0; n < 2_100; n++) memory.addObservation({ project: "large", title: `login ${n}` });
    ids.redirect = memory.addObservation({ project: "large", title: "login redirect", session: "a" }).id;
    ids.cookie = memory.addObservation({ project: "large", title: "cookie", session: "b" }).id;
    ids.small = memory.addObservation({ project: "small", title: "login" }).id;
  });
  add();
  search = createMemorySearch(memory);
});
afterAll(() => memory.close());

async function found(query: string, project = "large", isPrompt = true): Promise<number[]> {
  const { observations } = await search.search({ query, project, isPrompt, format: "index", limit: 20 });
  return observations.map(({ id }) => id);
}

describe("of the words of a prompt", () => {
  it("common words of a large project find no record, but count in others' hits", async () => {
    expect(await found("login redirect, or the cookie?")).toEqual([ids.redirect, ids.cookie]);
    expect(await found("login redirect", "large", false)).toHaveLength(20);
  });

  it("none is left where all of them are everywhere", async () => {
    expect(await found("the login")).toEqual([]);
  });

  it("all are looked for in a small project", async () => {
    expect(await found("the login", "small")).toEqual([ids.small]);
  });

  it("none is looked for within other words", async () => {
    expect(await found("redir")).toEqual([]);
    expect(await found("redir", "large", false)).toEqual([ids.redirect]);
  });
});
