import { expect, test } from "vitest";
import { openTestServer } from "../helpers/hosted-server.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import { compatibilityRows } from "./tenancy-compatibility-rows.ts";
import { expected, mayShow } from "./tenancy-model.ts";
import { everyRow, rowsOfTools, rowsOfV1 } from "./tenancy-rows.ts";
import { casesOf, createMatrix, sampleOf } from "./tenancy-run.ts";
import { makeWorld } from "./tenancy-world.ts";

// In full every home is asked everything; else one home of each combination, chosen by the seed.
const full = volume(100) >= 100;
const seed = testSeed();
const server = await openTestServer();
const world = await makeWorld(server.database);
const routeRows = { ...rowsOfV1, ...compatibilityRows };
test("every route has a row in the matrix, and every row a route", () => {
  const routes = server.routes.flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url}`));
  const without = routes.filter((route) => !Object.hasOwn(routeRows, route));
  expect(
    without,
    "routes without a row: add one in tenancy-rows.ts or tenancy-compatibility-rows.ts",
  ).toEqual([]);
  expect(Object.keys(routeRows).filter((row) => !routes.includes(row))).toEqual([]);
});

test("every MCP tool has a row in the matrix, and every row a tool", async () => {
  const { apiKey } = await server.addKey();
  const answer = await server.app.inject({
    method: "POST",
    url: "/v1/mcp",
    headers: { host: "127.0.0.1", authorization: `Bearer ${apiKey}` },
    payload: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
  });
  const tools = answer.json().result.tools.map(({ name }: { name: string }) => name);
  expect(tools.sort(), "a tool without a row: add one in tenancy-rows.ts").toEqual(
    Object.keys(rowsOfTools).sort(),
  );
});

test("every id in the path of a route is one that the matrix sends", () => {
  for (const { method, url, schema } of server.routes) {
    for (const one of [method].flat()) {
      const slots = routeRows[`${one} ${url}`]?.slots ?? [];
      const params = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(params, `${one} ${url}`).toEqual(
        slots.filter(({ at }) => at === "path").map(({ name }) => name),
      );
      expect(schema?.params === undefined, `${one} ${url} has parameters without a schema`).toBe(
        params.length === 0,
      );
    }
  }
});

test("every case is answered as the model says, and all refusals look alike", async () => {
  const all = casesOf(everyRow, world);
  const chosen = full ? all : sampleOf(all, createRandom(seed));
  const faults: string[] = [];
  const matrix = createMatrix({
    server,
    system: server.database.system,
    world,
    onFault: (fault) => faults.push(fault),
  });
  for (const asked of chosen) await matrix.run(asked);
  console.info(
    `tenancy matrix: ${chosen.length} of ${all.length} cases, ${matrix.compared()} refusals compared, seed ${seed}`,
  );
  expect(faults.slice(0, 20).join("\n"), `MEM_TEST_SEED=${seed}`).toBe("");
  // A model that refuses everything would prove nothing.
  expect(chosen.filter((asked) => expected(asked) < 300).length).toBeGreaterThan(chosen.length / 6);
  expect(chosen.some((asked) => mayShow(asked, world, asked.home))).toBe(true);
}, 900_000);
