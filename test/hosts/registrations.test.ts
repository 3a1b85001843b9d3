import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { hostAt, type Machine } from "../../src/hosts/host-places.ts";
import { createInstalls } from "../../src/hosts/install-records.ts";
import { createInstaller } from "../../src/hosts/installer.ts";
import { createRegistrations } from "../../src/hosts/registrations.ts";
import { agentNamed } from "../../src/hosts/registry.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function makeMachine() {
  const home = tempDir();
  const machine: Machine = {
    paths: dataPaths(join(home, ".mem")),
    environment: { PATH: join(home, "bin") },
    home,
    platform: "linux",
  };
  let text: string | null = null;
  let reads = 0;
  const installs = createInstalls({
    read() {
      reads += 1;
      return text;
    },
    replace(change) {
      text = change(text);
    },
  });
  let now = 0;
  const clock = { now: () => now, monotonicMs: () => now };
  const registrations = createRegistrations({ machine, installs, clock });
  const claudeCode = hostAt(machine, agentNamed("claude-code"));
  const [file] = claudeCode.agent.integration.files(claudeCode.place);
  return {
    ...{ home, file: file?.path ?? "" },
    reads: () => reads,
    /** What is known some seconds later. */
    states(laterMs = 3_000): string[] {
      now += laterMs;
      return registrations().map(({ host, hooks }) => `${host} ${hooks}`);
    },
    install() {
      const installer = createInstaller(machine, installs);
      installer.apply(installer.plan(claudeCode, new Set(["hooks", "mcp"])));
    },
  };
}

test("names the hosts that are here or have hooks, and follows their files", () => {
  const { home, file, states, install } = makeMachine();
  expect(states()).toEqual([]);
  mkdirSync(join(home, ".claude"));
  expect(states()).toEqual(["claude-code none"]);
  install();
  expect(states()).toEqual(["claude-code registered"]);
  const settings = JSON.parse(readFileSync(file, "utf8"));
  const [event = ""] = Object.keys(settings.hooks);
  delete settings.hooks[event];
  writeFileSync(file, JSON.stringify(settings));
  expect(states()).toEqual(["claude-code partial"]);
  writeFileSync(file, JSON.stringify({ ...settings, disableAllHooks: true }));
  expect(states()).toEqual(["claude-code off"]);
  writeFileSync(file, "{ broken");
  expect(states()).toEqual(["claude-code unreadable"]);
  rmSync(file);
  expect(states()).toEqual(["claude-code none"]);
});

test("reads the files again only when one has changed, or after a minute", () => {
  const { home, states, reads } = makeMachine();
  states();
  const look = (laterMs: number) => {
    const before = reads();
    const found = states(laterMs);
    return { found, reads: reads() - before };
  };
  const unchanged = look(3_000);
  expect(look(100).reads).toBe(0);
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin", "codex"), "");
  chmodSync(join(home, "bin", "codex"), 0o755);
  expect(look(3_000)).toEqual({ found: [], reads: unchanged.reads });
  expect(look(60_000).found).toEqual(["codex none"]);
});
