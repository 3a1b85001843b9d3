import { expect, test } from "vitest";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const post = (url: string, payload: object) =>
  world.app.inject({ method: "POST", url, headers: local, payload });

test("the query names a project, by an old label too, or a directory, or all", async () => {
  const get = (query: string) => world.app.inject({ url: `/api/rules${query}`, headers: local });
  const answer = await get("?project=alpha-before&limit=5");
  expect(answer.json()).toMatchObject({ project: "alpha", contradictions: [{ older: 9, newer: 12 }] });
  await get("?cwd=/w/a");
  await get("?all=true");
  expect(world.calls.map(({ input }) => input)).toEqual([
    { project: "alpha", all: false, limit: 5 },
    { cwd: "/w/a", all: false, limit: 200 },
    { all: true, limit: 200 },
  ]);
});

test.each([
  ["Never npm.", 201, "stored"],
  ["again", 200, "exists"],
  ["private", 200, "skipped"],
])("a rule %j is answered %i, %s", async (text, code, status) => {
  const answer = await post("/api/rules", { text, project: "alpha" });
  expect(answer.statusCode).toBe(code);
  expect(answer.json()).toMatchObject({ status });
  expect(world.calls).toEqual([
    { port: "rules.remember", input: { kind: "rule", text, reach: "project", project: "alpha" } },
  ]);
});

test("replaces the text of an observation", async () => {
  const answer = await post("/api/observations/1/text", { text: "Other.", title: "New" });
  expect(answer.json()).toMatchObject({ id: 1 });
  expect(world.calls).toEqual([
    { port: "edits.observation", input: { id: 1, change: { text: "Other.", title: "New" } } },
  ]);
});

test.each([
  ["/api/rules", {}],
  ["/api/rules", { text: "x", reach: "nowhere" }],
  ["/api/rules", { text: "x", said_by: "agent" }],
  ["/api/rules", { text: "x".repeat(2001) }],
  ["/api/observations/0/text", { text: "x" }],
  ["/api/observations/1/text", { title: "" }],
  ["/api/observations/1/text", { summary: "x" }],
])("%s with %j is refused, and writes nothing", async (url, body) => {
  expect((await post(url, body)).statusCode).toBe(400);
  expect(world.calls).toEqual([]);
});

test("a rule from another web origin is refused", async () => {
  const headers = { ...local, origin: "https://example.com" };
  const answer = await world.app.inject({
    method: "POST",
    url: "/api/rules",
    headers,
    payload: { text: "x" },
  });
  expect(answer.statusCode).toBe(403);
  expect(world.calls).toEqual([]);
});
