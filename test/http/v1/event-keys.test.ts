import { expect, test } from "vitest";
import { countRows, requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "one" });
const { post } = requestsTo(server, key);

const anEvent = { sourceType: "hook", eventType: "tool_use", occurredAtEpoch: 1, payload: { a: 1, b: [2] } };
const counts = async () => [
  await countRows(server, "agent_events"),
  await countRows(server, "generation_jobs"),
];
const keyed = (name: string) => ({ headers: { "idempotency-key": name } });

test("fifty concurrent requests with one key make one event with one job", async () => {
  const before = await counts();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post("/v1/events", anEvent, keyed("fifty"))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.event.id)).size).toBe(1);
  expect(new Set(answers.map(({ body }) => body.generationJob.id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers["idempotency-replayed"] === undefined)).toHaveLength(1);
  expect(await counts()).toEqual(before.map((n) => n + 1));
});

test("a repeat is the same event, in any order of its fields", async () => {
  const { payload, ...rest } = anEvent;
  const first = await post("/v1/events", anEvent, keyed("lost"));
  const again = await post("/v1/events", { payload: { b: payload.b, a: payload.a }, ...rest }, keyed("lost"));
  expect(again.status).toBe(201);
  expect(again.headers["idempotency-replayed"]).toBe("true");
  expect(again.body).toEqual(first.body);
});

test("a key that was used for another body is a conflict, and nothing is stored", async () => {
  await post("/v1/events", anEvent, keyed("taken"));
  const before = await counts();
  const other = await post("/v1/events", { ...anEvent, payload: 2 }, keyed("taken"));
  expect(other.status).toBe(409);
  expect(other.body.error.code).toBe("conflict");
  expect(await counts()).toEqual(before);
});

test("the sender's own id of an event makes a repeat the same event, per source type", async () => {
  const named = { ...anEvent, sourceEventId: "tool-1" };
  const first = await post("/v1/events", named);
  const again = await post("/v1/events", named, keyed("with-both"));
  expect(again.body).toEqual(first.body);
  const third = await post("/v1/events", { ...anEvent, sourceType: "api", sourceEventId: "tool-1" });
  expect(third.body.event.id).not.toBe(first.body.event.id);
  expect((await post("/v1/events", { ...named, payload: 3 })).status).toBe(409);
  // The header of the repeat means the first event from now on.
  expect((await post("/v1/events", anEvent, keyed("with-both"))).status).toBe(409);
  expect((await post("/v1/events", named, keyed("with-both"))).body).toEqual(first.body);
});

test("keys of two projects have nothing to do with each other", async () => {
  const sibling = requestsTo(server, await server.addKey({ project: "two" }));
  const first = await post("/v1/events", anEvent, keyed("shared"));
  const second = await sibling.post("/v1/events", { ...anEvent, payload: "other" }, keyed("shared"));
  expect([first.status, second.status]).toEqual([201, 201]);
});

test("a key is 1 to 255 visible characters", async () => {
  for (const name of ["", " ", "a b", "x".repeat(256), "é"]) {
    expect((await post("/v1/events", anEvent, keyed(name))).status, name).toBe(400);
  }
  expect((await post("/v1/events", anEvent, keyed("x".repeat(255)))).status).toBe(201);
});

test("a batch answers one result per event in order; a refused one costs only itself", async () => {
  await post("/v1/events", { ...anEvent, sourceEventId: "used" });
  const sent = await post("/v1/events/batch", [
    { ...anEvent, payload: "first" },
    { ...anEvent, sourceEventId: "used", payload: "another" },
    { ...anEvent, projectId: "nowhere" },
    { ...anEvent, sessionId: "nowhere" },
    { ...anEvent, payload: "last" },
  ]);
  expect(sent.status).toBe(201);
  const seen = sent.body.results.map((result: { event?: { payload: unknown }; error?: { code: string } }) =>
    result.error === undefined ? result.event?.payload : result.error.code,
  );
  expect(seen).toEqual(["first", "conflict", "not_found", "not_found", "last"]);
});

test("a batch with a key is stored once, also concurrently; another is a conflict", async () => {
  await post("/v1/events", { ...anEvent, sourceEventId: "used-2" });
  const events = [
    anEvent,
    { ...anEvent, sourceEventId: "used-2", payload: "another" },
    { ...anEvent, payload: 2 },
  ];
  const before = await counts();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post("/v1/events/batch", { events }, keyed("batch"))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.body.results[1].error.code).toBe("conflict");
  expect(await counts()).toEqual(before.map((n) => n + 2));
  const shorter = await post("/v1/events/batch", { events: [anEvent] }, keyed("batch"));
  const longer = await post("/v1/events/batch", { events: [...events, anEvent] }, keyed("batch"));
  const single = await post("/v1/events", anEvent, keyed("batch"));
  expect([shorter.status, longer.status, single.status]).toEqual([409, 409, 409]);
  expect(await counts()).toEqual(before.map((n) => n + 2));
});

test("an event that is too large costs only itself, with a key and without one", async () => {
  const events = [
    { ...anEvent, payload: "first" },
    { ...anEvent, payload: "x".repeat(2 * 1024 * 1024) },
    { ...anEvent, payload: "last" },
  ];
  const seen = (body: { results: { event?: { payload: unknown }; error?: { code: string } }[] }) =>
    body.results.map(({ event, error }) => error?.code ?? event?.payload);
  const before = await counts();
  const plain = await post("/v1/events/batch", events);
  const first = await post("/v1/events/batch", events, keyed("large"));
  const again = await post("/v1/events/batch", events, keyed("large"));
  for (const { body } of [plain, first, again])
    expect(seen(body)).toEqual(["first", "payload_too_large", "last"]);
  expect(again.text).toBe(first.text);
  expect(await counts()).toEqual(before.map((n) => n + 4));
  const alone = await post("/v1/events/batch", events.slice(1, 2), keyed("large-alone"));
  expect(seen(alone.body)).toEqual(["payload_too_large"]);
});

test("a batch has 1 to 500 events", async () => {
  for (const n of [0, 501]) {
    expect(
      (
        await post(
          "/v1/events/batch",
          Array.from({ length: n }, () => anEvent),
        )
      ).status,
      `${n}`,
    ).toBe(400);
  }
  const most = await post(
    "/v1/events/batch",
    Array.from({ length: 500 }, () => anEvent),
    keyed("most"),
  );
  expect(most.body.results).toHaveLength(500);
  expect((await post("/v1/events/batch", [anEvent, { ...anEvent, extra: 1 }])).status).toBe(400);
});

test("after a purge a key is free, and its event is another one", async () => {
  const own = await server.addKey({ project: "purged" });
  const { post: send } = requestsTo(server, own);
  const named = { ...anEvent, sourceEventId: "tool-2", contentSessionId: "s" };
  const first = await send("/v1/events", named, keyed("purge"));
  const purged = await server.app.inject({
    method: "DELETE",
    url: `/v1/projects/${own.project_id}/memory`,
    headers: { host: "x", authorization: `Bearer ${own.apiKey}` },
  });
  expect(purged.statusCode).toBe(200);
  const again = await send("/v1/events", { ...named, payload: "other" }, keyed("purge"));
  expect(again.status).toBe(201);
  expect(again.body.event.id).not.toBe(first.body.event.id);
  expect(again.body.event.serverSessionId).not.toBe(first.body.event.serverSessionId);
});

test("a key whose event is kept no longer is a conflict, not an error of ours", async () => {
  const first = await post("/v1/events", anEvent, keyed("expired"));
  await server.database.system.query({
    text: "delete from agent_events where id = $1",
    values: [first.body.event.id],
  });
  expect((await post("/v1/events", anEvent, keyed("expired"))).status).toBe(409);
});
