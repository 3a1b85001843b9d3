import { expect, test } from "vitest";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const post = (url: string, payload: object) =>
  world.app.inject({ method: "POST", url, headers: local, payload });

test("lists files, refreshes all or one project, removes all or below a path", async () => {
  const listed = await world.app.inject({ url: "/api/folders", headers: local });
  expect(listed.json()).toEqual({
    files: [{ path: "/w/a/CLAUDE.md", project: "a", written_at_epoch: 1, is: "there" }],
  });
  expect((await post("/api/folders/refresh", {})).json().written).toEqual(["/w/a/CLAUDE.md"]);
  await post("/api/folders/refresh", { project: "a" });
  await post("/api/folders/remove", {});
  expect((await post("/api/folders/remove", { under: "/w/a" })).json().left).toEqual([
    { path: "/x", why: "y" },
  ]);
  expect((await post("/api/folders/refresh", { project: 7 })).statusCode).toBe(400);
});
