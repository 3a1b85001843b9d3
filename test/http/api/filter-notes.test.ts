import { afterAll, describe, expect, test } from "vitest";
import type { SearchRequest, SearchResults } from "../../../src/recall/search.ts";
import { fakeWorld, local } from "../support.ts";

const nothing = { observations: [], sessions: [], prompts: [], notes: ["By words only."] };
const world = fakeWorld({ override: { search: { search: async () => nothing } } });
afterAll(() => world.app.close());

const noType = "The mode code has no type unheard. Known: bugfix, unheard-of.";

test.each([
  ["obs_type=unheard", `${noType} Did you mean unheard-of?`],
  ["type=unheard", `${noType} Did you mean unheard-of?`],
  ["concepts=gotcha,unheard,foo", "The mode code has no concept unheard, foo. Known: gotcha."],
  ["project=nope", "No project named `nope`. Known: alpha, beta."],
  ["project=alhpa", "No project named `alhpa`. Known: alpha, beta. Did you mean alpha?"],
  ["type=promts", "The mode code has no type promts. Known: bugfix, unheard-of. Did you mean prompts?"],
  ["dateStart=2026-02-01&dateEnd=2026-01-01", "The time asked for ends before it begins."],
  ["offset=40", "Nothing follows the first 40 results."],
  ["project=Alpha", "No project named `Alpha`, but there is `alpha`."],
])("a search with %s that finds nothing says what is not there", async (query, note) => {
  const answer = await world.app.inject({ url: `/api/search?query=a&${query}`, headers: local });
  expect(answer.json()).toMatchObject({ totalResults: 0, notes: ["By words only.", note] });
});

test("a search that finds nothing with filters that there are says no more", async () => {
  const url = "/api/search?query=a&obs_type=bugfix&concepts=gotcha&project=alpha";
  expect((await world.app.inject({ url, headers: local })).json().notes).toEqual(nothing.notes);
});

test("a preview says that there is no such project, and what a host injects does not", async () => {
  const text = async (route: string) =>
    (await world.app.inject({ url: `/api/context/${route}?projects=alpha,nope`, headers: local })).body;
  expect(await text("preview")).toMatch(/No project named `nope`\. Known: alpha, beta\.\n$/);
  expect(await text("inject")).not.toContain("No project");
});

describe("a filter that names nothing", () => {
  const hit = { id: 1, title: "One" };
  /** Finds something only without the filters that the mode does not have. */
  const search = async ({ obs_type, concepts = [], offset = 0 }: SearchRequest) => {
    const isKnown = (obs_type ?? "bugfix") === "bugfix" && !concepts.includes("foo");
    const observations = isKnown && offset === 0 ? [hit] : [];
    return { observations, sessions: [], prompts: [], notes: [] } as unknown as SearchResults;
  };
  const finding = fakeWorld({ override: { search: { search } } });
  afterAll(() => finding.app.close());
  const answer = async (query: string) =>
    (await finding.app.inject({ url: `/api/search?${query}`, headers: local })).json();

  test.each([
    ["query=a&obs_type=bugfxi", "The mode code has no type bugfxi."],
    ["query=a&type=bugfxi", "The mode code has no type bugfxi."],
    ["query=a&concepts=foo", "The mode code has no concept foo."],
  ])("finds nothing as a parameter, and the answer says why: %s", async (query, note) => {
    const { totalResults, notes } = await answer(query);
    expect(totalResults).toBe(0);
    expect(notes).toEqual([expect.stringContaining(note)]);
  });

  test.each(["obs_type=nope", "query=a&obs_type=bugfix&offset=20"])(
    "is no search for everything, and no next page: %s",
    async (query) => {
      expect(await answer(query)).toMatchObject({ totalResults: 0 });
    },
  );
});
