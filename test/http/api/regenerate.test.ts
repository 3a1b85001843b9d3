import { expect, test } from "vitest";
import { fakeWorld, local } from "../support.ts";

test.each([
  [{}, { port: "regenerate.start", input: { generator: "local" } }],
  [undefined, { port: "regenerate.start", input: { generator: "local" } }],
  [
    { since: "2026-01-31", project: "app", generator: "m-1" },
    {
      port: "regenerate.start",
      input: { generator: "m-1", project: "app", since: Date.UTC(2026, 0, 31) },
    },
  ],
  [{ resume: true }, { port: "regenerate.resume", input: undefined }],
])("POST %j reaches the regenerator", async (body, call) => {
  const world = fakeWorld();
  const payload = body === undefined ? {} : { payload: body };
  const answer = await world.app.inject({
    method: "POST",
    url: "/api/regenerate",
    headers: local,
    ...payload,
  });
  expect(answer.statusCode).toBe(200);
  expect(world.calls).toEqual([call]);
  await world.app.close();
});

test.each([
  ["/api/regenerate", false],
  ["/api/regenerate?drop=true", true],
])("DELETE %s stops it", async (url, drop) => {
  const world = fakeWorld();
  await world.app.inject({ method: "DELETE", url, headers: local });
  expect(world.calls).toEqual([{ port: "regenerate.stop", input: { drop } }]);
  await world.app.close();
});

test("a web page of another origin cannot start what costs money, nor stop it", async () => {
  const world = fakeWorld();
  const headers = { ...local, origin: "https://elsewhere.example" };
  for (const method of ["POST", "DELETE"] as const)
    expect((await world.app.inject({ method, url: "/api/regenerate", headers })).statusCode).toBe(403);
  expect(world.calls).toEqual([]);
  await world.app.close();
});

test.each([
  ["", { generator: "local", since: undefined, project: undefined }],
  [
    "?since=2026-01-31&project=app&generator=m-1",
    { generator: "m-1", project: "app", since: Date.UTC(2026, 0, 31) },
  ],
  ["?resume=true", null],
])("GET the plan%s tells what a start would cost, and starts nothing", async (query, input) => {
  const world = fakeWorld();
  const url = `/api/regenerate/plan${query}`;
  const answer = await world.app.inject({ method: "GET", url, headers: local });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({
    provider: "primary",
    model: "m-1",
    observations: 7,
    summaries: 1,
    sessions: 2,
    events: 9,
    calls: 2,
    inputTokens: 4000,
    outputTokens: 2500,
    costUsd: 0.0165,
    budgets: [
      { name: "daily", limitTokens: 1000, usedTokens: 950, leftTokens: 50, until: 1_760_000_200_000 },
    ],
    running: true,
  });
  expect(world.calls).toEqual([{ port: "regenerate.plan", input }]);
  await world.app.close();
});

test("the plan of a model without a known price has no cost", async () => {
  const { regenerate } = fakeWorld().deps;
  const plan: typeof regenerate.plan = async (request) => ({
    ...(await regenerate.plan(request)),
    costMicroUsd: null,
  });
  const world = fakeWorld({ override: { regenerate: { ...regenerate, plan } } });
  const answer = await world.app.inject({ method: "GET", url: "/api/regenerate/plan", headers: local });
  expect(answer.json()).toMatchObject({ costUsd: null });
  await world.app.close();
});
