import { execFile } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { calledMem, callMem } from "../cli/mem.ts";
import { workingMem } from "../cli/working-mem.ts";
import { startServer } from "../helpers/hosted-processes.ts";
import { createTestDatabase } from "../helpers/postgres.ts";
import { until, type WorkerHome, workerHome } from "../helpers/worker-process.ts";
import {
  inlineCommands,
  memCommands,
  type ShellBlock,
  shellBlocks,
  transcriptLines,
} from "./shell-blocks.ts";

const exec = promisify(execFile);
const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
const blocks = shellBlocks();

// The memory holds what the examples name: record 12, summary S3, prompt P7, the file src/login.ts.
const observations = 12;

describe("shell blocks of the documents", () => {
  test("the commands run", async () => {
    const { mem, project } = await filledMemory();
    const before = process.cwd();
    mkdirSync(project, { recursive: true });
    process.chdir(project);
    onTestFinished(() => process.chdir(before));
    for (const block of ofKind("run")) await runBlock(block, mem.home, project);
  });

  test("the server commands run", async () => {
    const [first, ...rest] = ofKind("server");
    expect(first).toBeDefined();
    if (first === undefined) return;
    const databaseUrl = await createTestDatabase();
    const server = await startServer({ role: "all", databaseUrl, env: { MEM_AUTH_MODE: "api-key" } });
    const home = workerHome({ MEM_DATABASE_URL: databaseUrl });
    const text = [first, ...rest].map((block) => block.text.replaceAll(shownAddress, server.url)).join("\n");
    await runShell({ ...first, text: withWaiting(text) }, home, join(home.dataDir, "..", "exports"));
  });

  test("the transcript of the README is what the demo prints", async () => {
    const [command = "", ...lines] = transcriptLines();
    const { stdout } = await callMem(workerHome(), command.replace("$ mem ", "").split(" "));
    const printed = new Set(stdout.split("\n").map(withoutTimes));
    expect(lines.length).toBeGreaterThan(15);
    expect(lines.filter((line) => line !== "..." && !printed.has(withoutTimes(line)))).toEqual([]);
  });

  test("other commands and their options exist", async () => {
    const shown = [...ofKind("no-run").flatMap(({ text }) => memCommands(text)), ...inlineCommands()];
    const helpOf = helpReader(workerHome());
    for (const words of shown) await expectKnown(helpOf, words);
  });
});

const shownAddress = "http://127.0.0.1:37800";

function ofKind(kind: ShellBlock["kind"]): ShellBlock[] {
  return blocks.filter((block) => block.kind === kind);
}

// Records follow an event within moments; a reader who types the lines one by one never sees the gap.
function withWaiting(text: string): string {
  return text.replace(
    /^ID=(?:.*\\\n)*.*$/m,
    (line) => `n=0; until ${line}; do n=$((n + 1)); [ $n -lt 100 ]; sleep 0.1; done`,
  );
}

async function filledMemory() {
  const { mem, client, edit } = await workingMem(calledMem());
  const project = join(mem.home.dataDir, "..", "shop");
  mkdirSync(join(project, "src"), { recursive: true });
  for (let made = 0; made < observations; made += 1) {
    const file = join(project, "src", made === 0 ? "login.ts" : `file-${made}.ts`);
    writeFileSync(file, `export const redirect = ${made};\n`);
    await edit(project, file, `export const redirect = ${made};\n`);
  }
  for (let ended = 1; ended <= 3; ended += 1) {
    const session = { claudeSessionId: `ended ${ended}`, cwd: project };
    await client.postSession("init", { ...session, prompt: `Fix the login redirect, part ${ended}` });
    await client.postSession("summarize", { ...session, last_assistant_message: "The redirect is fixed." });
  }
  await until(
    async () => (await client.summaries()).items.find(({ id }) => id === 3),
    60_000,
    "the third summary",
  );
  return { mem, project };
}

const ran = new Set<string>();

/** Runs plain commands once, in this process, which is in the directory; a block with more than those in a shell. */
async function runBlock(block: ShellBlock, home: WorkerHome, cwd: string): Promise<void> {
  if (/^[^#\n]*[|&>$;]/m.test(block.text)) return await runShell(block, home, cwd);
  for (const words of memCommands(block.text)) {
    if (ran.has(words.join(" "))) continue;
    ran.add(words.join(" "));
    const args = words.map((word) => word.replace(/^(["'])(.*)\1$/, "$2").replace(/^~/, home.env.HOME ?? ""));
    const { code, stderr } = await callMem(home, args);
    expect({ block: block.name, args, code, stderr: code === 0 ? "" : stderr }).toMatchObject({ code: 0 });
  }
}

async function runShell(block: ShellBlock, home: WorkerHome, cwd: string): Promise<void> {
  const programs = join(home.dataDir, "..", "programs");
  mkdirSync(programs, { recursive: true });
  mkdirSync(cwd, { recursive: true });
  if (!existsSync(join(programs, "mem"))) symlinkSync(bin, join(programs, "mem"));
  const env = { ...home.env, PATH: `${programs}:${home.env.PATH}`, EDITOR: "true", NO_COLOR: "1" };
  const ran = await exec("/bin/sh", ["-eu", "-c", block.text], { cwd, env }).catch((cause) => cause);
  expect({ block: block.name, code: ran.code ?? 0, stderr: ran.code ? ran.stderr : "" }).toEqual({
    block: block.name,
    code: 0,
    stderr: "",
  });
}

// Durations, with the padding before them, and dates differ from run to run.
function withoutTimes(line: string): string {
  return line.replace(/ +\d+ ms$/, "").replaceAll(/\d{4}-\d\d-\d\d/g, "day");
}

type HelpReader = (names: readonly string[]) => Promise<string>;

// The help of the longest command that the words name.
function helpReader(home: WorkerHome): HelpReader {
  const known = new Map<string, string>();
  return async function read(names): Promise<string> {
    const key = names.join(" ");
    const help = known.get(key) ?? (await callMem(home, [...names, "--help"])).stdout;
    known.set(key, help);
    return names.length > 1 && !help.startsWith(`Usage: mem ${key} `) ? await read(names.slice(0, -1)) : help;
  };
}

async function expectKnown(helpOf: HelpReader, words: readonly string[]): Promise<void> {
  const [name = "", ...rest] = words;
  const sub = rest.filter((word) => /^[a-z][a-z-]*$/.test(word)).slice(0, 2);
  const help = await helpOf([name, ...sub]);
  expect(help, words.join(" ")).toContain(`Usage: mem ${/^(-|help$)/.test(name) ? "[" : name}`);
  for (const word of rest.filter((each) => /^--?[a-z]/.test(each))) {
    expect(help, words.join(" ")).toContain(word.replace(/=.*/, ""));
  }
}
