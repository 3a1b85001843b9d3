import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadDemoSession } from "../../src/cli/demo-session.ts";
import { failOpenSync } from "../../src/core/errors.ts";
import { type Mem, memAtHome } from "./mem.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));

test("the demo records, finds, keeps secrets off the disk and leaves nothing", async () => {
  const mem = memAtHome();
  const { code, stdout, stderr } = await mem("demo");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "Next: `mem install`, then work as usual.\n",
  });
  for (const { name } of loadDemoSession()) expect(stdout).toContain(name);
  expect(stdout.match(/^ {2}remembers {2}/gm)?.length).toBeGreaterThanOrEqual(8);
  const cause = "made a new session secret each time the process started";
  const [, answers = "", start = "", prompt = "", read = ""] = stdout.split(
    /^\$ mem search|^The next|^With the prompt|^Before the agent/m,
  );
  for (const part of [answers, prompt]) expect(part).toContain(cause);
  expect(prompt).toContain("`verifySession` no longer throws on a forged cookie");
  expect(read).toContain("Earlier records about src/auth/session.ts");
  expect(answers.match(/^ *(?:#|S|P)\d+ {2}/gm)).toHaveLength(3);
  expect(answers).toMatch(/^S?#?\d+ {2}Users were logged out after every deploy because/m);
  expect(start).toContain("Set `SESSION_SECRET` on staging and production before the next deploy");
  expect(stdout).not.toMatch(/not fixed/i);
  expect(stdout).toContain("for 2 private texts and passwords, found 0");
  expect(leftBy(mem)).toEqual([]);
});

test("a demo that finds no place for its directory names the variable for it", async () => {
  const { code, stdout, stderr } = await memAtHome({ TMPDIR: "/nope", TEMP: "/nope" })("demo");
  expect({ code, stdout }).toEqual({ code: 78, stdout: "" });
  expect(stderr).toMatch(/^Cannot create a directory in \/nope\.\nSet TE?MP(DIR)? to .*\n$/);
});

test("a demo that is interrupted stops its worker and removes its directory", async () => {
  const mem = memAtHome();
  const demo = spawn(process.execPath, [bin, "demo"], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void demo.kill("SIGKILL"));
  const ended = once(demo, "close");
  for await (const chunk of demo.stdout) if (String(chunk).includes("UserPromptSubmit")) demo.kill("SIGINT");
  const [code] = await ended;
  expect(code).toBe(130);
  expect(leftBy(mem)).toEqual([]);
});

test("the session of the demo has prompts, reads, edits, failures, commands and ends", () => {
  const names = new Set(loadDemoSession().map(({ name }) => name));
  expect([...names].sort()).toEqual([
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "UserPromptSubmit",
  ]);
});

/** What a run left: files in its HOME and temporary directory, and processes that still work there. */
function leftBy({ home }: Mem): string[] {
  const { TMPDIR: temporary = "", HOME: own = "" } = home.env;
  const files = [own, temporary].flatMap((path) => readdirSync(path)).filter((name) => name !== "home");
  return [...files, ...pidsWith(`TMPDIR=${temporary}`)];
}

function pidsWith(variable: string): string[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(variable));
}

function environmentOf(pid: string): string[] {
  return (
    failOpenSync("read an environment", () => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")) ?? []
  );
}
