import { describe, expect, test } from "vitest";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const get = (url: string) => world.app.inject({ url, headers: local });

async function asked(url: string): Promise<unknown> {
  expect((await get(url)).statusCode, url).toBe(200);
  return world.calls.pop()?.input;
}

describe("GET /api/timeline", () => {
  test.each([
    ["12", { kind: "observation", id: 12 }],
    ["S12", { kind: "session", id: 12 }],
    ["s3", { kind: "session", id: 3 }],
    ["P12", { kind: "prompt", id: 12 }],
    ["2026-01-31", { kind: "time", at: Date.UTC(2026, 0, 31) }],
    ["2026-01-31T12:00:00Z", { kind: "time", at: Date.UTC(2026, 0, 31, 12) }],
    ["2026-01-31T12:00:00%2B01:00", { kind: "time", at: Date.UTC(2026, 0, 31, 11) }],
  ])("reads the anchor %s", async (text, anchor) => {
    expect(await asked(`/api/timeline?anchor=${text}`)).toEqual({
      anchor,
      depth_before: 10,
      depth_after: 10,
    });
  });

  test("hands the depths, the project and a query on", async () => {
    expect(await asked("/api/timeline?query=a%20b&depth_before=0&depth_after=100&project=my%20app")).toEqual({
      query: "a b",
      depth_before: 0,
      depth_after: 100,
      project: "my app",
    });
  });

  test.each([
    "",
    "anchor=",
    "anchor=1&query=a",
    "anchor=0",
    "anchor=-1",
    "anchor=S",
    "anchor=S0",
    "anchor=1.5",
    "anchor=X5",
    "anchor=99999999999999999999",
    "anchor=9999999999999999",
    "anchor=2026-02-31",
    "anchor=yesterday",
    "anchor=1&depth_before=101",
    "anchor=1&depth_after=-1",
    "anchor=1&anchor=2",
  ])("?%s is 400 and says what to give", async (query) => {
    const answer = await get(`/api/timeline?${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.message).toMatch(/S12|whole number|a text/);
    expect(world.calls).toEqual([]);
  });
});

describe("the fixed questions", () => {
  test.each([
    ["/api/decisions", { topic: "decisions" }],
    ["/api/changes", { topic: "changes" }],
    ["/api/how-it-works", { topic: "how-it-works" }],
    ["/api/search/by-concept?concept=gotcha", { topic: "concept", concept: "gotcha" }],
    ["/api/search/by-file?filePath=src/a.ts", { topic: "file", path: "src/a.ts" }],
    ["/api/search/by-type?type=bugfix", { topic: "type", obs_type: "bugfix" }],
  ])("%s begins with 20 of all projects in the index form", async (url, topic) => {
    expect(await asked(url)).toEqual({ ...topic, format: "index", limit: 20 });
    const more = `${url}${url.includes("?") ? "&" : "?"}format=full&limit=3&project=a`;
    expect(await asked(more)).toEqual({ ...topic, format: "full", limit: 3, project: "a" });
    expect((await get(url)).json()).toMatchObject({ totalResults: 2, query: "", prompts: [] });
  });
});

test.each([
  [
    "by-type?type=unheard",
    ["The mode code has no type unheard. Known: bugfix, unheard-of. Did you mean unheard-of?"],
  ],
  ["by-type?type=unheard-of", []],
  ["by-type?type=elsewhere", []],
  ["by-concept?concept=unheard", ["The mode code has no concept unheard. Known: gotcha."]],
])("/api/search/%s without a record lists the known words for an unknown one", async (query, notes) => {
  expect((await get(`/api/search/${query}`)).json().notes).toEqual(notes);
});

describe("GET /api/observations/by-file", () => {
  test("takes a path and projects, one or several, each once", async () => {
    expect(await asked("/api/observations/by-file?path=a.ts")).toEqual({
      path: "a.ts",
      projects: [],
      limit: 15,
    });
    expect(await asked("/api/observations/by-file?filePath=a.ts&project=b&projects=a,b&limit=2")).toEqual({
      path: "a.ts",
      projects: ["b", "a"],
      limit: 2,
    });
  });

  test("counts what it answers and what there is, and says what changed since", async () => {
    expect((await get("/api/observations/by-file?path=src/a.ts")).json()).toMatchObject({
      path: "src/a.ts",
      count: 1,
      total: 3,
      observations: [{ files_modified: ["src/a.ts"], changed_since: [{ path: "src/a.ts", is: "changed" }] }],
    });
  });
});

test("a batch takes 1 to 100 ids", async () => {
  const post = (payload: object) =>
    world.app.inject({ method: "POST", url: "/api/observations/batch", headers: local, payload });
  expect((await post({ ids: [3, 1], project: "a" })).statusCode).toBe(200);
  expect(world.calls.pop()?.input).toEqual({ ids: [3, 1], project: "a" });
  for (const ids of [[], [0], [1.5], ["1"], Array.from({ length: 101 }, (_, n) => n + 1), "1", null]) {
    const answer = await post({ ids });
    expect(answer.statusCode, JSON.stringify(ids)).toBe(400);
  }
});
