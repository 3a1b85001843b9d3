import { expect, test } from "vitest";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

test("the query names a project, by an old label too, or a directory", async () => {
  const get = (query: string) => world.app.inject({ url: `/api/context/explain?${query}`, headers: local });
  const answer = await get("project=alpha-before&prompt=why&file=src/a.ts&command=npm+test");
  expect(answer.json()).toMatchObject({ project: "alpha", moments: [{ moment: "start" }, {}, {}] });
  await get("cwd=/w/a&prompt=");
  expect(world.calls.map(({ input }) => input)).toEqual([
    { project: "alpha", prompt: "why", file: "src/a.ts", command: "npm test" },
    { cwd: "/w/a", prompt: undefined },
  ]);
});

test("a prompt that is too long for an address comes in a body", async () => {
  const payload = { project: "alpha-before", prompt: "why ".repeat(40_000) };
  const answer = await world.app.inject({
    method: "POST",
    url: "/api/context/explain",
    headers: local,
    payload,
  });
  expect(answer.statusCode).toBe(200);
  expect(world.calls[0]?.input).toEqual({ ...payload, project: "alpha" });
});

test("a page of another web origin gets nothing", async () => {
  const headers = { ...local, origin: "https://example.com" };
  const answer = await world.app.inject({ url: "/api/context/explain?project=alpha", headers });
  expect(answer.statusCode).toBe(403);
  expect(world.calls).toEqual([]);
});
