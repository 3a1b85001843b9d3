import { afterAll, beforeEach, expect, test } from "vitest";
import type { SearchRequest } from "../../../src/recall/search.ts";
import { fakeWorld, local } from "../support.ts";

let asked: SearchRequest | undefined;
const requests: SearchRequest[] = [];
const world = fakeWorld({
  override: {
    search: {
      async search(request) {
        asked = request;
        requests.push(request);
        return { observations: [], sessions: [], prompts: [], notes: [] };
      },
    },
  },
});
afterAll(() => world.app.close());
beforeEach(() => {
  asked = undefined;
  requests.length = 0;
});

async function search(query: string, filters: Record<string, string> = {}): Promise<string[]> {
  const url = `/api/search?${new URLSearchParams({ query, ...filters })}`;
  const answer = await world.app.inject({ url, headers: local });
  expect(answer.json()).toMatchObject({ query });
  return answer.json().notes;
}

test.each([
  ["type:bugfix the parser", { query: "the parser", obs_type: "bugfix" }],
  ["the parser obs_type:Bugfix", { query: "the parser", obs_type: "bugfix" }],
  ["type:session parser", { query: "parser", type: "sessions" }],
  ["project:Alpha parser", { query: "parser", project: "alpha" }],
  ['project:"beta" concept:gotcha', { query: "", project: "beta", concepts: ["gotcha"] }],
  ["file:src/login.ts", { query: "", files: ["src/login.ts"] }],
])("a filter that is written among the words is one, and that is said: %s", async (query, request) => {
  const notes = await search(query);
  expect(asked).toMatchObject(request);
  expect(notes[0]).toMatch(/^\S+ is read as a filter\.$/);
});

test.each([
  ["type:bug parser", "The mode code has no type bug. Known: bugfix, unheard-of. Did you mean bugfix?"],
  ["concept:foo parser", "The mode code has no concept foo. Known: gotcha."],
])("a label without such a filter is looked for, and says which there are: %s", async (query, note) => {
  expect(await search(query)).toEqual([note]);
  expect(requests[0]).toMatchObject({ query });
  // Nothing was found, so the words alone are looked for.
  expect(asked).toMatchObject({ query: "parser" });
});

test.each([
  ["project:nope parser", { query: "parser", project: "nope" }],
  ['project:"no such" concept:gotcha parser', { query: "parser", project: "no such", concepts: ["gotcha"] }],
  ["project:nope", { query: "", project: "nope" }],
])("an unknown project stays a filter, and the answer says so: %s", async (query, request) => {
  const notes = await search(query);
  expect(asked).toMatchObject(request);
  expect(notes.at(-1)).toBe(`No project named \`${request.project}\`. Known: alpha, beta.`);
});

test.each([
  ["project:alpha-before parser", "parser"],
  ["in project:alpha, the parser", "in  the parser"],
  ["the parser of project:Alpha?", "the parser of"],
])("an earlier label and a mark behind it name the project: %s", async (query, words) => {
  await search(query);
  expect(asked).toMatchObject({ query: words, project: "alpha" });
});

test.each([
  "error at file:line",
  "Error: type: module",
  "http://a.b/type:bugfix",
  `${"a long log ".repeat(30)}type:bugfix`,
])("what is no label is looked for as it is: %s", async (query) => {
  expect(await search(query)).toEqual([]);
  expect(asked?.query).toBe(query);
  expect(asked).not.toHaveProperty("obs_type", "bugfix");
});

test("a filter that was given is not overruled by a word", async () => {
  expect(await search("project:alpha parser", { project: "beta" })).toEqual([]);
  expect(asked).toMatchObject({ query: "project:alpha parser", project: "beta" });
});

test.each([
  ["file:src/a.ts file:src/b.ts login", { query: "login", files: ["src/a.ts", "src/b.ts"] }],
  ["type:observations type:bugfix login", { query: "login", type: "observations", obs_type: "bugfix" }],
  ["type:bugfix type:bugfix login", { query: "login", obs_type: "bugfix" }],
])("labels of one kind are filters together, where a record can pass them: %s", async (query, request) => {
  const labels = query.split(" ").slice(0, 2);
  expect(await search(query)).toEqual(labels.map((label) => `${label} is read as a filter.`));
  expect(asked).toMatchObject(request);
});

test.each([
  ["type:bugfix type:unheard-of login", { query: "type:unheard-of login", obs_type: "bugfix" }],
  ["type:sessions obs_type:bugfix login", { query: "obs_type:bugfix login", type: "sessions" }],
  ["project:alpha project:beta login", { query: "project:beta login", project: "alpha" }],
])("a second label that no record passes too is looked for, and told: %s", async (query, request) => {
  const [first, second] = query.split(" ");
  expect(await search(query)).toEqual([
    `${first} is read as a filter.`,
    `${second} is looked for as words: there can be one type and one project.`,
  ]);
  expect(asked).toMatchObject(request);
});
