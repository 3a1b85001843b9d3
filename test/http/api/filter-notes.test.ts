import { afterAll, expect, test } from "vitest";
import { fakeWorld, local } from "../support.ts";

const nothing = { observations: [], sessions: [], prompts: [], notes: ["By words only."] };
const world = fakeWorld({ override: { search: { search: async () => nothing } } });
afterAll(() => world.app.close());

test.each([
  ["obs_type=unheard", "The mode code has no type unheard. Known: bugfix, unheard-of."],
  ["type=unheard", "The mode code has no type unheard. Known: bugfix, unheard-of."],
  ["concepts=gotcha,unheard,foo", "The mode code has no concept unheard, foo. Known: gotcha."],
  ["project=nope", "No project named `nope`. Known: alpha, beta."],
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
