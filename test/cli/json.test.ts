// Every command with --json: one object in snake_case, a list under `items`, as docs/cli.md says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createCliContext } from "../../src/cli/context.ts";
import { createIo } from "../../src/cli/io.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { fakeWorker, json } from "../client/fake-worker.ts";
import { createTestDatabase } from "../helpers/postgres.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { fillMemory } from "./mcp/fill.ts";
import { type MemRun, memAtHome } from "./mem.ts";

const program = buildProgram(createCliContext(createIo({ color: false, errColor: false }), {}));
const docs = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");

/** The keys of the answers in docs/cli.md, by command. */
const documented = new Map(
  [...docs.matchAll(/^\| `mem ([a-z -]+)` \| ((?:`\w+`(?:, )?)+|an observation) \|/gm)].map(
    ([, command = "", keys = ""]) => [command, [...keys.matchAll(/`(\w+)`/g)].map(([, key]) => key ?? "")],
  ),
);

test("docs/cli.md has the shape of every command with --json", () => {
  const withJson = commandsBelow(program).filter((path) => path !== "worker logs");
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
  ["mode", "list"],
  ["mode", "show"],
  ["mode", "use", "code"],
  ["pin", "1"],
  ["supersede", "1", "--by", "2"],
  ["supersede", "1", "--undo"],
  ["reject", "1"],
  ["edit", "1", "--text", "Another text."],
  ["trash"],
  ["trash", "restore", "1"],
  ["trash", "empty", "--yes"],
  ["project", "list"],
  ["project", "rename", "web", "site"],
  ["project", "merge", "site", "shop", "--yes"],
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
  const mem = memAtHome({
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
  const key = JSON.parse((await mem("keys", "list", "--json")).stdout).items[0].id;
  check(["keys", "revoke"], await mem("keys", "revoke", key, "--json"));
  const { stdout } = await mem("hub", "account", "token", "alice", "--json");
  check(["hub", "account", "token"], { code: 0, stdout, stderr: "" });
  const hub = ["hub", "account"];
  check([...hub, "revoke"], await mem(...hub, "revoke", JSON.parse(stdout).token_id, "--json"));
  check([...hub, "delete"], await mem(...hub, "delete", "alice", "--yes", "--json"));
  const file = join(tempDir(), "export.jsonl");
  writeFileSync(file, (await mem("server", "export", ...names)).stdout);
  check(["server", "import"], await mem("server", "import", ...names, file, "--json"));

  const worker = await fakeWorker({
    on: "socket",
    answer: (_request, response) =>
      json(response, 200, { running: false, total: 0, left: 0, waitingFor: null }),
  });
  const regenerate = memAtHome({ MEM_DATA_DIR: worker.dataDir });
  check(["regenerate"], await regenerate("regenerate", "--yes", "--json"));
  expect([...documented.keys()].filter((command) => !seen.has(command))).toEqual([]);
}, 240_000);

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
