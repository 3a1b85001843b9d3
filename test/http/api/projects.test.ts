import { expect, test } from "vitest";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const ask = (method: "GET" | "POST", url: string, payload?: object) =>
  world.app.inject({ method, url, headers: local, ...(payload === undefined ? {} : { payload }) });

test("lists projects with their identities; renames and merges by label", async () => {
  expect((await ask("GET", "/api/projects/all")).json()).toMatchObject({
    projects: [{ project: "alpha", identities: ["remote:a.example/x/alpha", "path:/home/a/alpha"] }],
  });
  const renamed = await ask("POST", "/api/projects/rename", { from: "alpha", to: "a/b" });
  expect(renamed.json()).toEqual({ project: "a/b", left: 0 });
  const merged = await ask("POST", "/api/projects/merge", { from: "alpha", into: "beta" });
  expect(merged.json()).toEqual({ project: "beta", left: 7 });
  expect(world.calls).toEqual([
    { port: "projects.rename", input: { from: "alpha", to: "a/b" } },
    { port: "projects.merge", input: { from: "alpha", into: "beta" } },
  ]);
});

test.each([
  ["rename", {}],
  ["rename", { from: "alpha" }],
  ["rename", { from: "", to: "b" }],
  ["rename", { from: "alpha", to: "x".repeat(201) }],
  ["merge", { from: "alpha", into: "b", also: 1 }],
  ["merge", { from: ["alpha"], into: "b" }],
])("%s with %j is refused, and changes nothing", async (route, body) => {
  expect((await ask("POST", `/api/projects/${route}`, body)).statusCode).toBe(400);
  expect(world.calls).toEqual([]);
});

test("a former label means the renamed project in every request", async () => {
  await ask("GET", "/api/observations?project=alpha-before");
  await ask("GET", "/api/search?query=x&project=alpha-before");
  await ask("POST", "/api/search", { query: "x", project: "alpha-before" });
  await ask("POST", "/api/timeline", { query: "x", project: "alpha-before" });
  await ask("GET", "/api/context/inject?projects=beta,alpha-before");
  await ask("POST", "/api/regenerate", { project: "alpha-before" });
  expect(world.calls.map(({ input }) => input)).toMatchObject([
    { project: "alpha" },
    { project: "alpha" },
    { project: "alpha" },
    { project: "alpha" },
    { projects: ["beta", "alpha"] },
    { project: "alpha" },
  ]);
});

test("leaves a project name inside a host's payload as it is", async () => {
  await ask("POST", "/api/hooks/claude-code/PostToolUse", { project: "alpha-before" });
  expect(world.calls).toMatchObject([{ input: { payload: { project: "alpha-before" } } }]);
});
