// A device with a real worker, and a team's server: connect, find, delete on either side.
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { calledMem, type Mem, sharedMem } from "../cli/mem.ts";
import { eventually } from "../helpers/eventually.ts";
import { openTestServer, type TestKey } from "../helpers/hosted-server.ts";

const server = await openTestServer();
await server.app.listen({ host: "127.0.0.1", port: 0 });
const url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;

async function post(mem: Mem, path: string, body: object): Promise<void> {
  const at = readWorkerAddress(mem.home.dataDir);
  const answer = await fetch(`http://127.0.0.1:${at?.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
}

const observe = (mem: Mem, title: string) =>
  post(mem, "/observations", { claudeSessionId: "s", project: "shop", title, summary: `${title}.` });

async function titlesOf(mem: Mem, ...words: string[]): Promise<string[]> {
  const { stdout } = await mem("search", "--team", "--json", ...words);
  return (JSON.parse(stdout).items as { title: string }[]).map(({ title }) => title).sort();
}

function connect(mem: Mem, key: TestKey, ...options: string[]) {
  return mem("server", "connect", "--url", url, "--key", key.apiKey, ...options);
}

const anna = sharedMem();

test("nothing goes to a team unless it is connected, and every refusal changes nothing", async () => {
  const mem = anna;
  await mem("remember", "Use pnpm, never npm.", "--project", "den");
  expect((await mem("server", "connect")).stdout).toContain("Nothing goes to a team.");
  expect((await mem("search", "--team", "pnpm")).stderr).toContain("mem server connect --url <url>");
  const reader = await server.addKey({ team: "readers", project: "den", scopes: ["memories:read"] });
  const refusals = [
    [await connect(mem, reader, "--project", "den"), "it needs `memories:write`"],
    [await connect(mem, { ...reader, apiKey: "wrong" }, "--project", "den"), "refuses the key"],
    [await connect(mem, reader, "--project", "den", "--as", "missing"), "no project missing"],
    [await connect(mem, reader, "--project", "shp"), "No project named `shp`."],
    [
      await mem("server", "connect", "--url", "http://mem.example.com", "--key", "k", "--project", "den"),
      "is plain http",
    ],
    [await mem("server", "connect", "--key", "k", "--project", "den"), "Name it with `--url`."],
  ] as const;
  for (const [{ code, stderr }, words] of refusals) {
    expect(stderr).toContain(words);
    expect(code).toBeGreaterThan(0);
    expect(stderr).not.toContain(reader.apiKey);
  }
  expect(JSON.parse((await mem("server", "connect", "--json")).stdout)).toMatchObject({
    configured: false,
    projects: [],
  });
}, 120_000);

test("colleagues find accepted records, and what the team deletes does not return", async () => {
  const ben = calledMem();
  const key = await server.addKey({ team: "team" });
  await anna("remember", "Never deploy the turbine on a Friday.", "--project", "shop");
  const connected = await connect(anna, key, "--project", "shop", "--earlier");
  expect(connected).toMatchObject({ code: 0, stderr: "" });
  expect(connected.stdout).toContain("Made on the server: shop.");
  expect(connected.stdout).toMatch(/Sent {6}1 record of this device/);
  await observe(anna, "Turbine blades are blue");
  await eventually(async () => expect(await titlesOf(anna, "turbine")).toHaveLength(2));
  await ben("remember", "Use pnpm, never npm.", "--project", "shop");
  expect((await connect(ben, key, "--project", "shop")).stdout).toContain("Sent      0 records");
  expect(await titlesOf(ben, "turbine")).toEqual([
    "Never deploy the turbine on a Friday.",
    "Turbine blades are blue",
  ]);
  const shown = await ben("search", "--team", "turbine", "blades");
  expect(shown.stdout).toContain("Turbine blades are blue");
  const [hit] = JSON.parse((await ben("search", "--team", "--json", "blades")).stdout).items;
  expect(shown.stdout).toContain(hit.id);
  const whole = await ben("show", hit.id);
  expect(whole).toMatchObject({ code: 0, stderr: "" });
  expect(whole.stdout).toContain("Turbine blades are blue");
  const { items, missing } = JSON.parse((await ben("show", hit.id, "--json")).stdout);
  expect([items[0]?.id, items[0]?.team_project, missing]).toEqual([hit.id, "shop", []]);
  expect(JSON.parse((await ben("project", "list", "--json")).stdout).items).toMatchObject([
    { project: "shop", synced: false, team_project: "shop" },
  ]);
  expect((await ben("project", "list")).stdout).toMatch(/^shop {2}.* · team$/m);
  const headers = { authorization: `Bearer ${key.apiKey}` };
  const deleted = await fetch(`${url}/v1/memories/${hit.id}`, { method: "DELETE", headers });
  expect(deleted.status).toBe(200);
  expect((await ben("show", hit.id)).stderr).toContain(`Not found: ${hit.id}.`);
  await connect(anna, key, "--project", "shop", "--earlier");
  const [rule] = JSON.parse((await anna("rules", "--project", "shop", "--json")).stdout).items;
  await anna("rules", "remove", String(rule.id));
  await eventually(async () => expect(await titlesOf(ben, "turbine")).toEqual([]));
});

test("a server that is away costs nothing: changes wait and are sent later", async () => {
  const mem = calledMem();
  const key = await server.addKey({ team: "away", project: "ours" });
  await mem("remember", "Use pnpm, never npm.", "--project", "shop");
  expect((await connect(mem, key, "--project", "shop", "--as", "ours")).stdout).toContain("shop as ours");
  await mem("settings", "set", "MEM_TEAM_SERVER_URL", "http://127.0.0.1:9");
  await mem("worker", "restart");
  await observe(mem, "Turbine blades are blue");
  await eventually(async () => {
    const { waiting, last_error } = JSON.parse((await mem("server", "connect", "--json")).stdout);
    expect({ waiting, last_error }).toEqual({
      waiting: 1,
      last_error: expect.stringContaining("cannot be reached"),
    });
  });
  expect((await mem("status")).stderr).toContain("Records for the team wait.");
  await mem("settings", "set", "MEM_TEAM_SERVER_URL", url);
  await mem("worker", "restart");
  await eventually(async () => expect(await titlesOf(mem, "turbine")).toEqual(["Turbine blades are blue"]));
  const elsewhere = await server.addKey({ team: "elsewhere" });
  await mem("remember", "Never on a Friday.", "--project", "attic");
  expect((await connect(mem, elsewhere, "--project", "attic")).stderr).toContain(
    "belongs to another team than the one that gets shop",
  );
  const left = await mem("server", "disconnect", "shop");
  expect(left.stdout).toContain("stay on this device from now on");
  expect((await mem("server", "disconnect", "shop")).stderr).toContain("do not go to a team");
  expect((await mem("search", "--team", "turbine")).stderr).toContain("No project is connected");
});
