// Every command with --json: one object in snake_case, a list under `items`, as docs/cli.md says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createCliContext } from "../../src/cli/context.ts";
import { createIo } from "../../src/cli/io.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { fakeWorker, json } from "../client/fake-worker.ts";
import { startServer } from "../helpers/hosted-processes.ts";
import { createTestDatabase } from "../helpers/postgres.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { newAccount, startHub } from "../hub/hub-process.ts";
import { memories } from "../worker/foreign-memories.ts";
import { fillMemory } from "./mcp/fill.ts";
import { calledMem, type MemRun, runMem } from "./mem.ts";
import { pipeToMem } from "./piped-mem.ts";

const imports = fileURLToPath(new URL("../fixtures/import", import.meta.url));
const program = buildProgram(createCliContext(createIo({ color: false, errColor: false }), {}));
const docs = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");

/** The keys of the answers in docs/cli.md, by command. */
const documented = new Map(
  [...docs.matchAll(/^\| `mem ([a-z -]+)` \| ((?:`\w+`(?:, )?)+|an observation) \|/gm)].map(
    ([, command = "", keys = ""]) => [command, [...keys.matchAll(/`(\w+)`/g)].map(([, key]) => key ?? "")],
  ),
);

test("docs/cli.md has the shape of every command with --json", () => {
  // These print lines, one object each.
  const inLines = ["worker logs", "watch"];
  const withJson = commandsBelow(program).filter((path) => !inLines.includes(path));
  expect([...documented.keys()].sort()).toEqual(withJson.sort());
});

const shop = ["--project", "shop"];
const names = ["--team", "acme", ...shop];
const scope = ["--scope", "memories:read"];
const cases: string[][] = [
  ["search", "login"],
  ["search", "login", "--format", "full"],
  ["timeline"],
  ["file", "login.ts", "--all"],
  ["show", "1", "P1"],
  ["remember", "Never npm.", ...shop],
  ["rules", ...shop],
  ["status"],
  ["install", "claude-code"],
  ["repair"],
  ["uninstall", "claude-code"],
  ["context", ...shop, "--prompt", "why does the login loop?"],
  ["mcp", "enable", "claude-code"],
  ["mcp", "status", "claude-code"],
  ["mcp", "disable", "claude-code"],
  ["queue", "list"],
  ["queue", "retry"],
  ["queue", "drop", "--failed", "--yes"],
  ["cost"],
  ["report"],
  ["mode", "list"],
  ["mode", "show"],
  ["mode", "use", "code"],
  ["pin", "1"],
  ["done", "2"],
  ["supersede", "1", "--by", "2"],
  ["supersede", "1", "--undo"],
  ["reject", "1"],
  ["edit", "1", "--text", "Another text."],
  ["forget", "2", "--dry-run"],
  ["retention"],
  ["retention", "set", "--days", "36500"],
  ["retention", "off"],
  ["scrub", "--dry-run"],
  ["trash"],
  ["trash", "receipts"],
  ["trash", "restore", "1"],
  ["trash", "empty", "--yes"],
  ["import", "--yes", "--limit", "1"],
  ["import", "auto", "--yes", "--limit", "1"],
  ["import", "claude-code", join(imports, "claude-code")],
  ["import", "codex", join(imports, "codex")],
  ["import", "gemini", join(imports, "gemini")],
  ["project", "list"],
  ["project", "rename", "web", "site"],
  ["project", "merge", "site", "shop", "--yes"],
  ["project", "off", "shop"],
  ["project", "on", "shop"],
  ["project", "sync", "off"],
  ["sync", "status"],
  ["folders", "list"],
  ["folders", "refresh"],
  ["folders", "remove"],
  ["settings", "list"],
  ["settings", "get", "mode"],
  ["settings", "set", "mode", "code"],
  ["settings", "path"],
  ["doctor"],
  ["worker", "start"],
  ["worker", "status"],
  ["worker", "restart"],
  ["tv", "enable", "--yes"],
  ["tv", "url"],
  ["tv", "disable"],
  ["worker", "stop"],
  ["exit-codes"],
  ["server", "migrate"],
  ["keys", "create", ...names, ...scope],
  ["keys", "list"],
  ["keys", "connect"],
  ["server", "status"],
  ["hub", "account", "create", "alice"],
  ["hub", "account", "devices", "alice"],
  ["hub", "account", "reset", "alice", "--yes"],
  ["hub", "account", "list"],
];

test("every answer is an object with the documented keys, in snake_case", async () => {
  const mem = calledMem({
    MEM_DATABASE_URL: await createTestDatabase(),
    MEM_FOLDER_CONTEXT_ENABLED: "true",
  });
  await fillMemory(mem);
  const seen = new Set<string>();
  const check = (words: readonly string[], run: MemRun) => seen.add(checkAnswer(words, run));
  for (const words of cases) check(words, await mem(...words, "--json"));
  const rule = JSON.parse((await mem("rules", ...shop, "--json")).stdout).items[0].id;
  for (const change of ["remove", "restore"])
    check(["rules", change], await mem("rules", change, String(rule), "--json"));
  for (const change of ["accept", "drop"]) {
    const port = readWorkerAddress(mem.home.dataDir)?.port;
    const kept = await fetch(`http://127.0.0.1:${port}/api/agent/records`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: "rule", text: `Always ${change} it.`, project: "shop" }),
    });
    const { id } = (await kept.json()) as { id: number };
    check(["rules", change], await mem("rules", change, String(id), "--json"));
  }
  const key = JSON.parse((await mem("keys", "list", "--json")).stdout).items[0].id;
  check(["keys", "revoke"], await mem("keys", "revoke", key, "--json"));
  const { stdout } = await mem("hub", "account", "token", "alice", "--json");
  check(["hub", "account", "token"], { code: 0, stdout, stderr: "" });
  const hub = ["hub", "account"];
  check([...hub, "revoke"], await mem(...hub, "revoke", JSON.parse(stdout).token_id, "--json"));
  check([...hub, "delete"], await mem(...hub, "delete", "alice", "--yes", "--json"));
  const file = join(tempDir(), "export.jsonl");
  // To the stdout of its process.
  writeFileSync(file, (await runMem(mem.home, ["server", "export", ...names])).stdout);
  check(["server", "import"], await mem("server", "import", ...names, file, "--json"));
  const memory = join(tempDir(), "memory.jsonl");
  check(["export"], await mem("export", "--out", memory, "--json"));
  check(["import", "jsonl"], await mem("import", "jsonl", memory, "--json"));
  for (const [kind, { make }] of Object.entries(memories))
    check(["import", kind], await mem("import", kind, make(tempDir()), "--json"));
  const hubUrl = (await startHub(mem.home)).url;
  const account = await newAccount(mem.home, "bob");
  const named = ["--device-name", "Bob's desk"];
  const setup = ["sync", "setup", "--stdin", "--hub", hubUrl, "--user", account.id, "--projects", "none"];
  const lines = [account.token, "six random words for this test"];
  const joined = await pipeToMem(mem.home.env, [...setup, ...named, "--json"], lines);
  check(setup, joined);
  expect(JSON.parse(joined.stdout)).toMatchObject({ device_name: "Bob's desk", hub: { url: hubUrl } });
  for (const word of ["status", "now", "earlier", "devices", "pause", "resume"])
    check(["sync", word], await mem("sync", word, "--json"));
  for (const word of ["passphrase", "rotate"]) {
    const words = ["sync", word, "--stdin", "--json"];
    check(["sync", word], await pipeToMem(mem.home.env, words, ["six other words for this test"]));
  }
  const team = await startServer({ role: "http", databaseUrl: mem.home.env.MEM_DATABASE_URL ?? "" });
  const connect = ["server", "connect", "--url", team.url, "--key", "local", ...shop];
  check(["server", "connect"], await mem(...connect, "--json"));
  check(["server", "disconnect"], await mem("server", "disconnect", "shop", "--json"));
  const disconnected = await mem("server", "disconnect", "--all", "--json");
  check(["server", "disconnect"], disconnected);
  expect(JSON.parse(disconnected.stdout)).toMatchObject({ configured: false, projects: [] });
  expect(readFileSync(join(mem.home.dataDir, "settings.json"), "utf8")).not.toContain(team.url);
  const backup = join(tempDir(), "memory.db");
  check(["backup"], await mem("backup", backup, "--json"));
  check(["restore"], await mem("restore", backup, "--yes", "--json"));
  const worker = await fakeWorker({
    on: "socket",
    answer: (_request, response) =>
      json(response, 200, { running: false, total: 0, left: 0, waitingFor: null }),
  });
  const regenerate = calledMem({ MEM_DATA_DIR: worker.dataDir });
  check(["regenerate"], await regenerate("regenerate", "--yes", "--json"));
  expect([...documented.keys()].filter((command) => !seen.has(command))).toEqual([]);
});

/** The command of the words, after its answer has passed. */
function checkAnswer(words: readonly string[], { stdout, stderr }: MemRun): string {
  const paths = [3, 2, 1].map((length) => words.slice(0, length).join(" "));
  const command = paths.find((path) => documented.has(path)) ?? "";
  expect(stdout, `mem ${words.join(" ")}: ${stderr}`).not.toBe("");
  const answer: unknown = JSON.parse(stdout);
  expect(Array.isArray(answer), command).toBe(false);
  const keys = Object.keys(answer as object);
  const known = documented.get(command) ?? [];
  if (known.length === 0) expect(answer).toMatchObject({ kind: "observation" });
  else
    expect(
      keys.filter((key) => !known.includes(key)),
      `mem ${command}`,
    ).toEqual([]);
  if (known.includes("items"))
    expect(Array.isArray((answer as { items: unknown }).items), command).toBe(true);
  expect(badKeys(answer), `mem ${command}`).toEqual([]);
  return command;
}

/** Keys that are not snake_case; below `hooks` they are the names of a host's events. */
function badKeys(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(badKeys);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key) ? [] : [key]),
    ...(key === "hooks" ? [] : badKeys(inner)),
  ]);
}

function commandsBelow(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((child) => {
    const names = [...path, child.name()];
    const hasJson = child.options.some(({ long }) => long === "--json");
    return [...(hasJson ? [names.join(" ")] : []), ...commandsBelow(child, names)];
  });
}
