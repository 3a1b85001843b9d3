// Which hooks the user trusts, from a scripted `codex app-server`.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isAlive } from "../../src/core/is-alive.ts";
import { codexHooks, codexTrust } from "../../src/hosts/codex-trust.ts";
import { hookCommand } from "../../src/hosts/hook-command.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/worker-process.ts";

const program = fileURLToPath(new URL("../fixtures/host-cli/codex", import.meta.url));

interface Seen {
  pid: number;
  args: string[];
  asked: { method: string; params?: unknown }[];
}

async function ask(play: string, deadlineMs?: number) {
  const home = join(tempDir(), "home");
  mkdirSync(home);
  const env = { PATH: process.env.PATH, HOME: home, CODEX_PLAY: play };
  const answer = await codexHooks({ program, env, cwd: home, ...(deadlineMs && { deadlineMs }) });
  const seen = (): Seen => JSON.parse(readFileSync(join(home, "codex.json"), "utf8"));
  return { answer, seen, home };
}

// The kernel takes a moment to remove a killed process.
const ended = (pid: number) =>
  until(() => (isAlive(pid) ? undefined : true), 10_000, "the end of the server");

test("lists each hook with its trust, asks nothing else, and leaves no process", async () => {
  const { answer, seen, home } = await ask("listed");
  expect(answer).toMatchObject({
    hooks: [
      { event: "sessionStart", command: "echo start", trust: "trusted", enabled: true },
      { event: "stop", command: "echo stop", trust: "untrusted" },
    ],
  });
  const { pid, args, asked } = seen();
  expect(args).toEqual(["app-server"]);
  expect(asked.map(({ method }) => method)).toEqual(["initialize", "initialized", "hooks/list"]);
  expect(asked.at(-1)?.params).toEqual({ cwds: [home] });
  await ended(pid);
});

test.each([
  ["ends", /ended without/],
  ["old", /unknown variant/],
])("says why it does not know them when the server %s", async (play, why) => {
  expect((await ask(play)).answer).toEqual({ failed: expect.stringMatching(why) });
});

test.each(["hangs", "deaf", "garbage"])("ends a server that %s at the deadline", async (play) => {
  const { answer, seen } = await ask(play, 1_000);
  expect(answer).toEqual({ failed: "no answer within 1 s" });
  await ended(seen().pid);
});

describe("the trust of our hooks", () => {
  const launcher = { folder: "/home/user/.mem/bin" };
  const ours = hookCommand({ host: "codex", event: "Stop", launcher, dataDir: null });
  const trust = (play: string, command = ours) => {
    const home = tempDir();
    const env = { PATH: process.env.PATH, HOME: home, CODEX_PLAY: play, CODEX_COMMAND: command };
    return codexTrust({ host: "codex", program, env, cwd: home });
  };

  test("is there when the user trusted all", async () => {
    expect(await trust("trusted")).toEqual({ state: "trusted", message: "Codex runs all 2 hooks." });
  });

  test("is missing when one is skipped, with the step that ends it", async () => {
    expect(await trust("listed")).toEqual({
      state: "untrusted",
      message: "Codex skips 1 of 2 hooks: they are untrusted or turned off.",
      next: "Open `/hooks` in Codex and trust the hooks of mem",
    });
  });

  test.each([
    ["listed", "echo of somebody else"],
    ["old", undefined],
  ])("is unknown when Codex does not list them (%s)", async (play, command) => {
    expect(await trust(play, command)).toMatchObject({ state: "unknown", message: expect.any(String) });
  });
});

test("says that there is no program", async () => {
  const answer = await codexHooks({ program: "/nowhere/codex", env: {}, cwd: tempDir() });
  expect(answer).toEqual({ failed: "the command `codex` was not found" });
});
