import { spawnSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { callMem } from "../../cli/mem.ts";
import { createTestDatabase } from "../../helpers/postgres.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const bin = fileURLToPath(new URL("../../../bin/mem.js", import.meta.url));
const database = await createTestDatabase();

function homeWith(settings: Record<string, string>) {
  const home = tempDir();
  const dataDir = `${home}/data`;
  const own = { PATH: process.env.PATH, HOME: home, MEM_DATA_DIR: dataDir, MEM_PROVIDER: "local" };
  return { dataDir, database: `${dataDir}/mem.db`, env: { ...own, ...settings } };
}

function startWith(settings: Record<string, string>, ...words: string[]) {
  const { env } = homeWith(settings);
  const { status, stderr } = spawnSync(process.execPath, [bin, "server", ...words], {
    env,
    encoding: "utf8",
  });
  return { status, stderr };
}

/** The same in this process, for what fails before the server changes its process. */
async function called(settings: Record<string, string>, ...words: string[]) {
  const { code, stderr } = await callMem(homeWith(settings), ["server", ...words]);
  return { status: code, stderr };
}

test.each([
  ["foo", /not a PostgreSQL address/],
  ["mysql://root:hunter2@127.0.0.1/x", /not a PostgreSQL address/],
  [
    "postgresql://mem:hunter2@/x?host=/nonexistent/run&port=5499",
    /\(\/nonexistent\/run:5499\/x\) does not answer: .*ENOENT/,
  ],
  ["postgresql://mem:hunter2@127.0.0.1:1/x", /\(127\.0\.0\.1:1\/x\) does not answer: .*ECONNREFUSED/],
])("a database at %s is named with what is wrong, without its password", async (url, says) => {
  const settings = { MEM_DATABASE_URL: url };
  const starts = [await called(settings, "migrate")];
  if (url.includes(":1/")) starts.push(startWith(settings, "--port", "0"));
  for (const { status, stderr } of starts) {
    expect(status).not.toBe(0);
    expect(stderr).toMatch(says);
    expect(stderr).toContain("MEM_DATABASE_URL");
    expect(stderr).not.toMatch(/hunter2|Idempotency|worker logs/);
  }
});

test("a database that refuses the user says so", async () => {
  const url = new URL(database);
  url.username = "nobody-here";
  const { status, stderr } = await called({ MEM_DATABASE_URL: url.href }, "migrate");
  expect([status, stderr]).toEqual([65, expect.stringContaining("refuses the connection")]);
});

test.each([
  ["MEM_PROVIDER", "loccal", "primary, secondary, compat, local"],
  ["MEM_PRIMARY_AUTH_METHOD", "abo", "subscription, api-key, gateway"],
  ["MEM_GENERATION_TIMEOUT_MS", "soon", "a whole number"],
])("%s=%s stops the start, with what it may be", async (name, value, allowed) => {
  const { status, stderr } = await called({ MEM_DATABASE_URL: database, [name]: value }, "--port", "0");
  expect([status, stderr]).toEqual([65, expect.stringContaining(`${name} in the environment`)]);
  expect(stderr).toContain(value);
  expect(stderr).toContain(allowed);
});

// The port of the figures is open by then, and does not keep the process.
test("a port that is taken is named, with the way to another one", async () => {
  const [taken, free] = [createServer().listen(0, "127.0.0.1"), createServer().listen(0, "127.0.0.1")];
  onTestFinished(() => void taken.close());
  await Promise.all([once(taken, "listening"), once(free, "listening")]);
  const [{ port }, { port: ofFigures }] = [taken.address() as AddressInfo, free.address() as AddressInfo];
  free.close();
  const settings = { MEM_DATABASE_URL: database, MEM_METRICS_PORT: String(ofFigures) };
  const { status, stderr } = startWith(settings, "--port", String(port));
  expect(status).toBe(69);
  expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}`);
  expect(stderr).toContain("EADDRINUSE");
  expect(stderr).toContain("--port");
});

test("an address that this machine does not have is named as such, not its port", () => {
  const settings = { MEM_DATABASE_URL: database, MEM_AUTH_MODE: "api-key" };
  const { status, stderr } = startWith(settings, "--host", "192.0.2.1", "--port", "0");
  expect(status).toBe(69);
  expect(stderr).toMatch(/cannot listen on 192\.0\.2\.1:0[\s\S]*no such address[\s\S]*--host/);
});
