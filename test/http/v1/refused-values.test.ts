import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { someOf } from "../../helpers/volume.ts";

const server = await openTestServer();
const key = await server.addKey();
const inProject = await server.addKey({ project: "one" });
const { get, post } = requestsTo(server, inProject);

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const manyWords = Array.from({ length: 200_000 }, (_, n) => `w${n.toString(36)}`).join(" ");

// One value per SQLSTATE that a build which trusts its input answers with 500; JSON text, as it stands in a body.
const generators: [state: string, json: string][] = [
  ["22021: NUL in text", '"a\\u0000b"'],
  ["22P05: NUL in jsonb", '{"a\\u0000":"\\u0000"}'],
  ["22P02: a lone surrogate", '"\\ud800 and \\udc00"'],
  ["22P02: a lone surrogate in a name", '{"\\ud800":1}'],
  ["22003: a number out of range", "1e999999"],
  ["22003: an integer out of range", "9223372036854775808"],
  ["22003: a number below the range", "-1e308"],
  ["54001: 100,000 levels", deep(100_000)],
  ["54001: as many levels as are allowed", deep(60)],
  ["22P02: no uuid", '"not-a-uuid"'],
  ["2201W: a negative number", "-1"],
  ["54000: a megabyte of words", JSON.stringify(manyWords)],
  ["54000: more than an index entry holds", JSON.stringify("\u{1f600}".repeat(10_000))],
  ["42601: operators of a search", JSON.stringify("a & | ! <-> ( ' \\ : * -- ;")],
  ["2201B: a broken pattern", JSON.stringify("(((*+?[a-\\")],
  ["22007: a bad date", '"2026-99-99T99:99:99Z"'],
  ["22008: a far-away date", "8640000000000001"],
  ["22023: an empty text", '""'],
  ["22004: null", "null"],
  ["22026: a list", "[[],{}]"],
  ["22030: an object with a name twice", '{"a":1,"a":2,"__proto__":{"x":1}}'],
  ["23514: true", "true"],
  ["22001: a fraction", "0.1"],
];

const bodies: [path: string, fields: readonly string[], valid: Record<string, unknown>, by?: typeof key][] = [
  [
    "/v1/events",
    [
      "projectId",
      "sourceType",
      "eventType",
      "occurredAtEpoch",
      "contentSessionId",
      "sessionId",
      "serverSessionId",
      "platformSource",
      "sourceEventId",
      "payload",
      "metadata",
    ],
    { sourceType: "hook", eventType: "tool_use", occurredAtEpoch: 1 },
  ],
  ["/v1/events/batch", ["events"], {}],
  [
    "/v1/sessions/start",
    [
      "projectId",
      "contentSessionId",
      "externalSessionId",
      "agentId",
      "agentType",
      "platformSource",
      "title",
      "metadata",
    ],
    {},
  ],
  ["/v1/projects", ["name", "metadata"], { name: "p" }, key],
];

test.each(bodies)("POST %s: no value of any field is answered with 500", async (path, fields, valid, by) => {
  for (const [turn, [state, json]] of generators.entries()) {
    for (const field of someOf(fields, turn, 2)) {
      const rest: Record<string, unknown> = {
        ...valid,
        ...(path === "/v1/projects" && field !== "name" ? { name: newId() } : {}),
      };
      delete rest[field];
      const body = `{${[...Object.entries(rest).map(([name, value]) => `"${name}":${JSON.stringify(value)}`), `"${field}":${json}`].join(",")}}`;
      const { status } = await post(path, body, by === undefined ? {} : { by });
      expect(status, `${field}, ${state}`).toBeLessThan(500);
    }
  }
});

test("inside of a payload every value is stored or refused as the sender's fault", async () => {
  for (const [state, json] of generators) {
    const body = `{"sourceType":"api","eventType":"note","occurredAtEpoch":1,"payload":{"a":[${json}]},"metadata":{"b":${json}}}`;
    const { status } = await post("/v1/events", body);
    expect([201, 400, 413], state).toContain(status);
  }
});

test("what was taken out of a text is taken out of it alone", async () => {
  const body = '{"sourceType":"api","eventType":"no\\u0000te","occurredAtEpoch":1,"payload":["\\ud800é😀"]}';
  const { event } = (await post("/v1/events", body)).body;
  expect(event.eventType).toBe("note");
  expect((await get(`/v1/events/${event.id}`)).body.event.payload).toEqual(["�é😀"]);
});
