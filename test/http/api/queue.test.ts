import { expect, test } from "vitest";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const ask = (method: "GET" | "POST", url: string, payload?: object) =>
  world.app.inject({ method, url, headers: local, ...(payload === undefined ? {} : { payload }) });

test("a page of the queue is asked for with its filter, and says whether more follows", async () => {
  const answer = await ask("GET", "/api/queue?status=dead&since=2026-01-31&limit=1&offset=1");
  expect(world.calls).toEqual([
    {
      port: "queue.page",
      input: { status: "dead", since: Date.UTC(2026, 0, 31), limit: 1, offset: 1 },
    },
  ]);
  expect(answer.json()).toMatchObject({ items: [{ id: 7 }], total: 3, hasMore: true, offset: 1, limit: 1 });
  expect((await ask("GET", "/api/queue?offset=2")).json()).toMatchObject({ hasMore: false, limit: 20 });
});

test.each([
  ["retry", {}, {}],
  ["retry", { ids: [3, 4] }, { ids: [3, 4] }],
  ["drop", { ids: [3] }, { ids: [3] }],
  [
    "drop",
    { failed: true, since: "2026-01-31T12:00:00Z" },
    { failed: true, since: Date.UTC(2026, 0, 31, 12) },
  ],
])("%s with %j reaches the queue", async (kind, body, input) => {
  expect((await ask("POST", `/api/queue/${kind}`, body)).statusCode).toBe(200);
  expect(world.calls).toEqual([{ port: `queue.${kind}`, input }]);
});

test.each([
  ["drop", {}, "give ids, or failed: true"],
  ["drop", { since: "2026-01-31" }, "give ids, or failed: true"],
  ["drop", { failed: false }, "give ids, or failed: true"],
  ["drop", { ids: [] }, "must name at least one message"],
  ["drop", { ids: Array.from({ length: 1001 }, (_, index) => index + 1) }, "at most 1000"],
  ["retry", { ids: [1], since: "2026-01-31" }, "not both"],
  ["retry", { ids: ["1"] }, "ids.0"],
  ["retry", { since: "tomorrow" }, "must be an ISO date"],
  ["retry", { everything: true }, "everything"],
])("%s with %j is refused with the reason, and moves nothing", async (kind, body, reason) => {
  const answer = await ask("POST", `/api/queue/${kind}`, body);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.message).toContain(reason);
  expect(world.calls).toEqual([]);
});
