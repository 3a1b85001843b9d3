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
