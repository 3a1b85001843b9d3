import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { errorBody } from "../../src/http/schemas/error.ts";
import { volume } from "../helpers/volume.ts";
import { fakeWorld, local } from "./support.ts";

const runs = volume(5000);

const world = fakeWorld();
afterAll(() => world.app.close());

const names = [
  "offset",
  "limit",
  "project",
  "projects",
  "query",
  "type",
  "format",
  "obs_type",
  "concepts",
  "files",
  "dateStart",
  "dateEnd",
  "colors",
  "__proto__",
];
const known = ["observations", "bugfix", "full", "2026-01-31", "true", "20", "0", "1", "claude-code", "stop"];
const text = fc.oneof(
  fc.constantFrom(...known),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^["'*():^+\-{}\\ANDORNEAR ]{0,30}$/),
  fc.integer().map(String),
  fc.double().map(String),
);
const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), text), { maxLength: 6 });
const fields = fc.constantFrom(
  "claudeSessionId",
  "contentSessionId",
  "prompt",
  "tool_name",
  "tool_input",
  "tool_response",
  "cwd",
  "title",
  "obs_type",
  "facts",
  "sidebarOpen",
  "selectedProject",
  "prompt_number",
  "agentId",
  "constructor",
);
const body = fc.oneof(
  fc.dictionary(fields, fc.oneof(text, fc.jsonValue())).map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: "binary" }),
);
const contentType = fc.constantFrom(
  "application/json",
  "application/json",
  "text/plain",
  "",
  "application/json; charset=x",
);

test(`${runs} random requests get no 5xx, and every refusal is the one error body`, async () => {
  await world.app.ready();
  // The stream never ends by itself; it takes no parameters.
  const routes = world.routes.filter(({ url }) => url !== "/stream");
  const seed = Number(process.env.MEM_TEST_SEED ?? 20260131);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.array(text, { minLength: 2, maxLength: 2 }),
      query,
      body,
      contentType,
      async (route, path, parameters, payload, type) => {
        const answer = await world.app.inject({
          method: route.method === "PATCH" ? "PATCH" : route.method === "GET" ? "GET" : "POST",
          url: `${filled(route.url, path)}${queryOf(parameters)}`,
          headers: { ...local, ...(type === "" ? {} : { "content-type": type }) },
          ...(route.method === "GET" ? {} : { payload }),
        });
        world.calls.length = 0;
        expect(answer.statusCode).toBeLessThan(500);
        if (answer.statusCode >= 400) errorBody.parse(answer.json());
      },
    ),
    { numRuns: runs, seed },
  );
}, 600_000);

function filled(url: string, values: readonly string[]): string {
  let at = 0;
  return url.replace(/:\w+/g, () => encoded(values[at++] ?? "1"));
}

function queryOf(parameters: readonly [string, string][]): string {
  const pairs = parameters.map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

// Half a surrogate pair cannot be percent-encoded; as UTF-8 it becomes the replacement character.
function encoded(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString());
}
