import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { isWellFormedKey } from "../../src/tenancy/keys/key-format.ts";
import { createTestDatabase } from "../helpers/postgres.ts";
import { calledMem, memAtHome } from "./mem.ts";

const url = await createTestDatabase();
const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
const both = ["--scope", "memories:read", "--scope", "memories:write"];

const mem = () => calledMem({ MEM_DATABASE_URL: url });

async function create(run: ReturnType<typeof mem>, ...words: string[]) {
  const { code, stdout } = await run("keys", "create", ...words, "--json");
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe("mem keys create", () => {
  test("creates team and project once, and shows the key once", async () => {
    const run = mem();
    const first = await create(run, "--team", "acme", "--project", "shop", ...both);
    expect(Object.keys(first)).toEqual(["id", "api_key", "team_id", "project_id", "scopes", "expires_at"]);
    expect(isWellFormedKey(first.api_key)).toBe(true);
    expect(first.scopes).toEqual(["memories:read", "memories:write"]);
    const days = (Date.parse(first.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const second = await create(run, "--team", "acme", ...both, "--expires-in-days", "7");
    expect(second).toMatchObject({ team_id: first.team_id, project_id: null });
    expect(Math.round((Date.parse(second.expires_at) - Date.now()) / 86_400_000)).toBe(7);
    const { stdout } = await run("keys", "list", "--json");
    expect(stdout).not.toContain(first.api_key);
    expect(JSON.parse(stdout).items).toMatchObject([
      { id: second.id, team: "acme", project: null },
      { id: first.id, team: "acme", project: "shop", last_four: first.api_key.slice(-4), revoked_at: null },
    ]);
  });

  test("prints only the key on stdout, and notes on stderr", async () => {
    const { code, stdout, stderr } = await mem()(
      "keys",
      "create",
      "--team",
      "shell",
      "--scope",
      "memories:read",
    );
    expect(code).toBe(0);
    expect(isWellFormedKey(stdout.trimEnd())).toBe(true);
    expect(stderr).toContain("every project of shell");
    expect(stderr).not.toContain(stdout.trimEnd());
  });

  test.each([
    [["--team", "acme"], "--scope"],
    [["--scope", "memories:read"], "--team"],
    [["--team", "acme", "--scope", "memories:all"], "memories:read or memories:write"],
    [["--team", "acme", "--scope", "memories:read", "--expires-in-days", "366"], "1 to 365"],
    [["--team", "acme", "--scope", "memories:read", "--expires-in-days", "0"], "1 to 365"],
    [["--team", " ", "--scope", "memories:read"], "name of the team"],
    [["--team", "acme", "--project", "", "--scope", "memories:read"], "name of the project"],
  ])("refuses %j", async (words, said) => {
    const { code, stdout, stderr } = await mem()("keys", "create", ...words);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(said);
  });
});

test("revokes a key once, and reports an unknown key", async () => {
  const run = mem();
  const { id } = await create(run, "--team", "revoked", "--scope", "memories:read");
  expect(JSON.parse((await run("keys", "revoke", id, "--json")).stdout)).toEqual({
    revoked: true,
    id,
    revoked_ids: [id],
  });
  expect((await run("keys", "revoke", id)).stdout).toBe("Already revoked.\n");
  expect((await run("keys", "list", "--team", "revoked")).stdout).toContain("revoked 2");
  for (const absent of ["x", "00000000-0000-4000-8000-000000000000"]) {
    expect((await run("keys", "revoke", absent)).code).toBe(66);
  }
});

test("mem keys connect prints a command for each agent, without a database", async () => {
  const run = calledMem();
  const key = ["--key", "mem_x"];
  const one = await run(
    "keys",
    "connect",
    "--host-agent",
    "claude-code",
    "--url",
    "https://m.example/",
    ...key,
  );
  expect(one.stdout).toBe(
    "claude mcp add --transport http mem-team https://m.example/v1/mcp --header 'Authorization: Bearer mem_x'\n",
  );
  const all = JSON.parse((await run("keys", "connect", "--json")).stdout);
  expect(all.mcp_url).toBe("http://127.0.0.1:37800/v1/mcp");
  expect(all.items).toHaveLength(5);
  expect((await run("keys", "connect", "--url", "javascript:alert(1)")).code).toBe(64);
});

test("mem keys connect prints the port of the server here, or says none runs", async () => {
  const run = calledMem();
  const none = await run("keys", "connect");
  expect(none.stdout).toContain("http://127.0.0.1:37800/v1/mcp");
  expect(none.stderr).toContain("No server runs");
  const server = spawn(process.execPath, [bin, "server", "--port", "0"], {
    env: { ...run.home.env, MEM_DATABASE_URL: url },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await ended;
  });
  let address: string | undefined;
  for await (const line of createInterface({ input: server.stdout })) {
    address = /answers at (http:\S+)/.exec(line)?.[1];
    if (address !== undefined) break;
  }
  const connected = await run("keys", "connect", "--json");
  expect(JSON.parse(connected.stdout).mcp_url).toBe(`${address}/v1/mcp`);
  expect(connected.stderr).not.toContain("No server runs");
  server.kill("SIGKILL");
  await ended;
  expect((await run("keys", "connect")).stderr).toContain("No server runs");
});

test("tells an unknown team from a team without keys", async () => {
  const run = mem();
  await create(run, "--team", "known", ...both);
  const { code, stdout, stderr } = await run("keys", "list", "--team", "nobody");
  expect([code, stdout]).toEqual([66, ""]);
  expect(stderr).toContain("No team named `nobody`.");
  expect((await run("keys", "list", "--team", "known")).code).toBe(0);
});

test("an unknown command of mem server is named, and starts nothing", async () => {
  const { code, stderr } = await calledMem()("server", "nope", "--port", "0");
  expect(code).toBe(64);
  expect(stderr).toContain("Unknown command 'nope'");
  expect(stderr).toContain("mem server --help");
});

test("without a database, lists say what to do and create none", async () => {
  const { code, stderr } = await calledMem()("keys", "list");
  expect(code).toBe(66);
  expect(stderr).toContain("mem keys create");
});

test("creates a first key before the server starts, and revokes it beside it", async () => {
  const run = memAtHome();
  // As root, PostgreSQL runs as somebody else, who must get through to the data directory.
  chmodSync(dirname(run.home.dataDir), 0o711);
  const { id, api_key: apiKey } = await create(run, "--team", "acme", ...both);
  const server = spawn(process.execPath, [bin, "server", "--port", "0"], {
    env: { ...run.home.env, MEM_AUTH_MODE: "api-key" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill("SIGTERM");
    await ended;
  });
  let address = "";
  for await (const line of createInterface(server.stdout)) {
    address = /answers at (http:\S+)/.exec(line)?.[1] ?? "";
    if (address !== "") break;
  }
  server.stdout.resume();
  const ask = async (presented: string) =>
    (await fetch(`${address}/v1/connect`, { headers: { authorization: `Bearer ${presented}` } })).status;
  expect(await ask(apiKey)).toBe(200);
  const beside = await create(run, "--team", "acme", "--scope", "memories:read");
  expect(await ask(beside.api_key)).toBe(200);
  expect((await run("keys", "revoke", id)).code).toBe(0);
  // The server hears of it, and a key that the server has not seen yet not at all.
  const unseen = await create(run, "--team", "acme", "--scope", "memories:read");
  await run("keys", "revoke", unseen.id);
  expect(await ask(unseen.apiKey)).toBe(401);
  await expect.poll(() => ask(apiKey), { interval: 500 }).toBe(401);
  expect(await ask(beside.api_key)).toBe(200);
});
