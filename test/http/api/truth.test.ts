import { expect, test } from "vitest";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const post = (url: string, payload: object) =>
  world.app.inject({ method: "POST", url, headers: local, payload });

test.each([
  ["status", { status: "superseded", superseded_by: 2 }, { is: "superseded", by: 2 }],
  ["status", { status: "rejected" }, { is: "rejected" }],
  ["status", { status: "active" }, { is: "restored" }],
  ["pin", { pinned: true }, { is: "pinned" }],
  ["pin", { pinned: false }, { is: "unpinned" }],
])("%s with %j is a verdict, and answers the record", async (route, body, verdict) => {
  const answer = await post(`/api/observations/1/${route}`, body);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ id: 1, status: "active", pinned: 0 });
  expect(world.calls).toEqual([{ port: "review", input: { id: 1, verdict } }]);
});

test.each([
  ["1/status", {}],
  ["1/status", { status: "rejected", superseded_by: 2 }],
  ["1/status", { status: "forgotten" }],
  ["0/status", { status: "rejected" }],
  ["x/pin", { pinned: true }],
  ["1/pin", { pinned: 1 }],
  ["1/pin", { pinned: true, also: "this" }],
])("%s with %j is refused, and judges nothing", async (path, body) => {
  expect((await post(`/api/observations/${path}`, body)).statusCode).toBe(400);
  expect(world.calls).toEqual([]);
});
