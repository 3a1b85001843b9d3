import { describe, expect, test } from "vitest";
import { settingKeys } from "../../../src/settings/table.ts";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const post = (payload: string) =>
  world.app.inject({
    method: "POST",
    url: "/api/settings",
    headers: { ...local, "content-type": "application/json" },
    payload,
  });

describe("POST /api/settings", () => {
  test("saves the viewer's two fields, each alone or both", async () => {
    for (const change of [
      { sidebarOpen: false },
      { selectedProject: "alpha" },
      { selectedProject: null },
      { sidebarOpen: true, selectedProject: "b" },
      {},
    ]) {
      expect((await post(JSON.stringify(change))).json()).toEqual({ success: true });
      expect(world.calls.pop()).toEqual({ port: "viewer.set", input: change });
    }
  });

  test.each(settingKeys)("cannot set %s in any spelling", async (name) => {
    const value = JSON.stringify("http://evil.example");
    const shapes = [
      `{"${name}":${value}}`,
      `{"${name.toLowerCase()}":${value}}`,
      `{" ${name}":${value}}`,
      `{"sidebarOpen":true,"${name}":${value}}`,
      `{"selectedProject":{"${name}":${value}}}`,
      `{"settings":{"${name}":${value}}}`,
      `[{"${name}":${value}}]`,
      `[["${name}",${value}]]`,
      `{"${name}":${value},"${name}":null}`,
      `{"sidebarOpen":true,"${name}":1,"sidebarOpen":true}`,
      `{"__proto__":{"${name}":${value}}}`,
      `{"\\u005f_proto__":{"${name}":${value}}}`,
      `{"constructor":{"prototype":{"${name}":${value}}}}`,
      `{"constructor":{"${name}":${value}}}`,
      `{"sidebarOpen":{"__proto__":{"${name}":${value}}}}`,
    ];
    for (const shape of shapes) expect((await post(shape)).statusCode, shape).toBe(400);
    expect(world.calls).toEqual([]);
  });

  test("says where configuration is set instead", async () => {
    expect((await post('{"MEM_TV_TOKEN":"x"}')).json().error.hint).toContain("mem settings set");
  });
});

test("GET /api/settings shows the state and every setting, with no-store", async () => {
  const answer = await world.app.inject({ url: "/api/settings", headers: local });
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect(answer.json()).toEqual({
    sidebarOpen: true,
    selectedProject: null,
    MEM_MODEL: "haiku-4-5-20251001",
    MEM_TV_TOKEN: "shown",
  });
});
