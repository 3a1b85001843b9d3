// hooks/mem-mcp.sh, as hosts start it: a copy in the data directory, with an MCP client at its standard input.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { objectField, objectsField, parseObject, textField } from "../../src/text/json-fields.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

interface Installed {
  dataDir: string;
  env: NodeJS.ProcessEnv;
}

/** The launchers in a data directory with spaces and quotes in its path; `runtime` and `root` as mem notes them. */
function install({ runtime = process.execPath, root = packageRoot, path = "/usr/bin:/bin" } = {}): Installed {
  const home = join(tempDir(), "it's a home");
  const dataDir = join(home, "data of mem");
  mkdirSync(join(dataDir, "bin"), { recursive: true, mode: 0o700 });
  for (const name of ["mem-mcp.sh", "mem-mcp.mjs"]) {
    copyFileSync(join(packageRoot, "hooks", name), join(dataDir, "bin", name));
  }
  writeFileSync(join(dataDir, "hook-runtime"), `${runtime}\n${join(root, "dist", "hook.cjs")}\n`, {
    mode: 0o600,
  });
  return { dataDir, env: { HOME: home, PATH: path, MEM_DATA_DIR: dataDir, MEM_PROVIDER: "local" } };
}

/** Starts it and closes its input; `ask` speaks to it before. */
async function start({ dataDir, env }: Installed, ask?: (send: Send, next: Next) => Promise<void>) {
  const child = spawn("/bin/sh", [join(dataDir, "bin", "mem-mcp.sh")], { env });
  const closed = once(child, "close");
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const stderr = text(child.stderr);
  await ask?.(
    (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async () => parseObject(String((await lines.next()).value)) ?? {},
  );
  child.stdin.end();
  const [code] = await closed;
  return { code, stderr: await stderr };
}

type Send = (message: object) => void;
type Next = () => Promise<ReturnType<typeof objectField>>;

test("answers initialize and lists its tools, from a path with spaces and quotes", async () => {
  const names: string[] = [];
  const ended = await start(install(), async (send, next) => {
    const clientInfo = { name: "test", version: "1" };
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    const { result } = await next();
    expect(result).toMatchObject({ serverInfo: { name: "mem" } });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/list" });
    const tools = objectsField(objectField(await next(), "result"), "tools");
    names.push(...tools.map((tool) => textField(tool, "name")));
  });
  expect(names).toContain("search");
  expect(ended).toEqual({ code: 0, stderr: "" });
});

test("runs the Node of the path where the noted one is gone", async () => {
  const path = join(tempDir(), "path with spaces");
  mkdirSync(path);
  writeFileSync(join(path, "node"), `#!/bin/sh\necho "started: $1" >&2\n`);
  chmodSync(join(path, "node"), 0o755);
  const installed = install({ runtime: "/gone/node", path: `${path}:/usr/bin:/bin` });
  const { code, stderr } = await start(installed);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `started: ${join(installed.dataDir, "bin", "mem-mcp.mjs")}\n`,
  });
});

test.each([
  ["without any Node", { runtime: "/gone/node", path: "/nowhere" }, "Node is missing"],
  ["without the package", { root: "/gone/package" }, "package is not installed"],
])("%s ends with a code and the reason", async (_what, given, reason) => {
  const installed = install(given);
  const { code, stderr } = await start(installed);
  expect(code).toBe(1);
  expect(stderr).toContain(reason);
});

test("without its second file it ends with a code", async () => {
  const installed = install();
  rmSync(join(installed.dataDir, "bin", "mem-mcp.mjs"));
  expect((await start(installed)).code).not.toBe(0);
});
