import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import {
  bodyWithSpellings,
  commaList,
  isoTimestamp,
  optionalText,
} from "../../../src/http/schemas/fields.ts";
import { fakeWorld, local } from "../support.ts";

const world = fakeWorld();
afterAll(() => world.app.close());

const get = (url: string) => world.app.inject({ url, headers: local });

describe("a number parameter", () => {
  const numbered = [
    ["/api/observations", "offset"],
    ["/api/observations", "limit"],
    ["/api/summaries", "offset"],
    ["/api/summaries", "limit"],
    ["/api/prompts", "offset"],
    ["/api/prompts", "limit"],
    ["/sessions", "limit"],
    ["/observations", "limit"],
    ["/api/search", "limit"],
    ["/api/search", "offset"],
    ["/api/context/recent", "limit"],
  ] as const;
  const wrong = [
    "-1",
    "1.5",
    "NaN",
    "1e20",
    "1e1",
    "9007199254740993",
    "0x10",
    "",
    "+5",
    "%205",
    "05",
    "٣",
    "9".repeat(400),
  ];

  test.each(numbered)("%s?%s is a whole number in range, or 400 that says so", async (path, name) => {
    for (const value of [...wrong, ...(name === "limit" ? ["0", "101"] : [])]) {
      const answer = await get(`${path}?${name}=${encodeURIComponent(decodeURIComponent(value))}`);
      expect(answer.statusCode, `${name}=${value}`).toBe(400);
      expect(answer.json().error.details[0].path).toBe(name);
    }
    expect((await get(`${path}?${name}=1&${name}=2`)).statusCode).toBe(400);
    expect((await get(`${path}?${name}[]=1`)).statusCode).toBe(200);
    expect((await get(`${path}?${name}=1`)).statusCode).toBe(200);
  });

  test.each(["/api/observation/", "/api/session/", "/api/prompt/", "/sessions/", "/observations/"])(
    "%s takes row ids only",
    async (path) => {
      for (const value of [...wrong, "0"].filter((text) => text !== "")) {
        const answer = await get(path + encodeURIComponent(decodeURIComponent(value)));
        expect(answer.statusCode, value).toBe(400);
      }
      expect((await get(`${path}1`)).statusCode).toBe(200);
      expect((await get(`${path}9007199254740991`)).statusCode).toBe(404);
    },
  );

  test("of a legacy path is checked before its session is looked for", async () => {
    world.calls.length = 0;
    for (const id of ["-1", "x", "1.5", "0"]) {
      const answer = await world.app.inject({
        method: "POST",
        url: `/sessions/${id}/complete`,
        headers: local,
      });
      expect(answer.statusCode).toBe(400);
    }
    expect(world.calls).toEqual([]);
  });
});

describe("a time parameter", () => {
  test.each([
    ["2026-01-31", "start", Date.UTC(2026, 0, 31)],
    ["2026-01-31", "end", Date.UTC(2026, 1, 1) - 1],
    ["2026-01-31T12:00:00Z", "end", Date.UTC(2026, 0, 31, 12)],
    ["2026-01-31T12:00:00.250+02:00", "start", Date.UTC(2026, 0, 31, 10, 0, 0, 250)],
  ] as const)("%s as a %s is %i", (text, edge, epochMs) => {
    expect(isoTimestamp(edge).parse(text)).toBe(epochMs);
  });

  test.each([
    "yesterday",
    "2026-02-30",
    "2026-13-01",
    "31.01.2026",
    "1760000000000",
    "",
    "2026-01-31T25:00:00Z",
  ])("%j is 400", async (text) => {
    const answer = await get(`/api/search?dateStart=${encodeURIComponent(text)}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.message).toContain("ISO date");
  });
});

describe("texts and lists", () => {
  test("an empty text counts as left out", () => {
    expect(optionalText().parse("")).toBeUndefined();
    expect(optionalText().parse("a")).toBe("a");
  });

  test("a comma list loses empty entries and the white space around the others", () => {
    expect(commaList().parse(" a, ,b ,")).toEqual(["a", "b"]);
    expect(commaList().parse(undefined)).toEqual([]);
    expect(commaList().safeParse(Array(101).fill("a").join(",")).success).toBe(false);
  });
});

describe("a body in two spellings", () => {
  const schema = bodyWithSpellings(
    z.object({ id: z.string(), note: z.string().optional(), any: z.unknown().optional() }),
    { otherId: "id" },
    ["any"],
  );

  test.each([
    [{ id: "a" }, { id: "a" }],
    [{ otherId: "b" }, { id: "b" }],
    [{ otherId: "b", id: "a" }, { id: "a" }],
    [{ otherId: "b", id: null }, { id: "b" }],
    [{ id: "a", note: null }, { id: "a" }],
    [
      { id: "a", any: null },
      { id: "a", any: null },
    ],
  ])("%j is read as %j", (body, expected) => {
    expect(schema.parse(body)).toEqual(expected);
  });

  test("is not changed by being read", () => {
    const body = { otherId: "b", note: null };
    schema.parse(body);
    expect(body).toEqual({ otherId: "b", note: null });
  });
});
