// The launcher in the shell alone: the client it picks, the parts of the environment it ignores.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { claudeCodeIntegration } from "../../../src/hosts/claude-code.ts";
import { hookCommand } from "../../../src/hosts/hook-command.ts";
import { kebabCase } from "../../../src/text/kebab-case.ts";
import { findCanaries, tempDir } from "../../helpers/temp-dir.ts";
import { fakeWorker } from "./fake-worker.ts";
import { answer, payload, quotedLine, silent } from "./hook-payload.ts";
import { binWith, hookHome, type LauncherName, launchers, runHook } from "./run-hook.ts";

const clients: LauncherName[] = ["as registered", "the Node bundle"];
const events = claudeCodeIntegration.hooks.map(({ event }) => kebabCase(event));

describe("the shell launcher", () => {
  const shell = launchers["as registered"];

  test("works without perl", async () => {
    const home = hookHome();
    home.env.PATH = binWith("sh", "cat");
    await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    writeFileSync(join(home.dataDir, "hook-runtime"), `${process.execPath}\n\n`);
    expect(await runHook(shell("session-start"), home, payload)).toEqual({ ...silent, stdout: answer });
  });

  test("works with a perl that cannot be started", async () => {
    const home = hookHome();
    home.env.PATH = binWith("sh", "cat", "node");
    writeFileSync(join(home.env.PATH, "perl"), "#!/nowhere/perl\n", { mode: 0o755 });
    await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    expect(await runHook(shell("session-start"), home, payload)).toEqual({ ...silent, stdout: answer });
  });

  test("ignores perl variables of the environment", async () => {
    const home = hookHome({ PERL5OPT: "-MNoSuchModule", PERL5LIB: "/nowhere", PERL_UNICODE: "SDA" });
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    expect(await runHook(shell("session-start"), home, payload)).toEqual({ ...silent, stdout: answer });
    expect(worker.requests[0]?.body).toBe(payload);
  });

  test("waits for the rest of the payload on a non-blocking pipe", async () => {
    const home = hookHome();
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    const unblock = "use Fcntl; fcntl(STDIN, F_SETFL, O_NONBLOCK); exec @ARGV";
    const line = quotedLine(["perl", "-e", unblock, ...shell("session-start")]);
    const slowly = `{ read -r line; printf %s "$line" | head -c 9; sleep 0.2; printf %s "$line" | tail -c +10; }`;
    const command = ["/bin/sh", "-c", `${slowly} | ${line}`];
    expect(await runHook(command, home, `${payload}\n`)).toEqual({
      ...silent,
      stdout: answer,
    });
    expect(worker.requests[0]?.body).toBe(payload);
  });

  test("sends one payload where the reply comes while the second client starts slowly", async () => {
    const home = hookHome();
    const until = join(home.dataDir, "started");
    const node = join(home.dataDir, "slow-node");
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "late", answer, until });
    writeFileSync(node, `#!/bin/sh\n: >"${until}"\nsleep 1.2\nexec "${process.execPath}" "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(home.dataDir, "hook-runtime"), `${node}\n\n`);
    await runHook(shell("session-end"), home, payload);
    expect(worker.requests.map(({ body }) => body)).toEqual([payload]);
  });

  test("reports a missing Node once a session", async () => {
    const home = hookHome();
    home.env.PATH = binWith("sh", "cat");
    for (const event of events) {
      const { stdout, ...rest } = await runHook(shell(event), home, payload);
      expect(rest).toEqual({ code: 0, signal: null, stderr: "" });
      if (event !== "session-start") expect({ event, stdout }).toEqual({ event, stdout: "" });
      else expect(JSON.parse(stdout).systemMessage).toMatch(/^mem: Node is missing.* `mem repair`\.$/);
    }
  });

  test("reports a package that is gone once a session, where the host shows it", async () => {
    const home = hookHome();
    mkdirSync(join(home.dataDir, "bin"), { recursive: true, mode: 0o700 });
    writeFileSync(join(home.dataDir, "hook-runtime"), `${process.execPath}\n/gone/dist/hook.cjs\n`, {
      mode: 0o600,
    });
    const file = join(home.dataDir, "bin", "mem-hook.sh");
    copyFileSync(fileURLToPath(new URL("../../../hooks/mem-hook.sh", import.meta.url)), file);
    home.env.PATH = binWith("sh", "cat", "ls");
    const run = async (host: string, event: string) =>
      (await runHook(["/bin/sh", file, host, event], home, payload)).stdout;
    for (const host of ["claude-code", "codex", "gemini-cli"]) {
      const { systemMessage } = JSON.parse(await run(host, "session-start"));
      expect(systemMessage).toMatch(/^mem: the agent-mem package has moved or is gone.* `mem repair`\.$/);
      expect(await run(host, "stop")).toBe("");
    }
    expect(await run("cursor", "session-start")).toBe("");
  });

  test("reports a missing package once a session", async () => {
    const home = hookHome();
    const plugin = tempDir();
    home.env.PATH = binWith("sh", "cat");
    const file = join(plugin, "mem-hook.sh");
    copyFileSync(fileURLToPath(new URL("../../../hooks/mem-hook.sh", import.meta.url)), file);
    for (const event of events) {
      const request = { host: "claude-code", event, launcher: { folder: plugin }, dataDir: null };
      const runs = [
        ["/bin/sh", "-c", hookCommand(request)],
        ["/bin/sh", file, "claude-code", event],
      ];
      for (const command of runs) {
        const { stdout, ...rest } = await runHook(command, home, payload);
        expect(rest).toEqual({ code: 0, signal: null, stderr: "" });
        if (event !== "session-start") expect({ event, stdout }).toEqual({ event, stdout: "" });
        else
          expect(JSON.parse(stdout)).toEqual({
            systemMessage:
              "mem: the agent-mem package is not installed, so nothing is remembered. Install it, then run `mem repair`.",
          });
      }
    }
    expect(existsSync(home.dataDir)).toBe(false);
  });

  test("works with a data directory that has a space in its name", async () => {
    const home = hookHome();
    const dataDir = join(home.dataDir, "with a space");
    home.env.MEM_DATA_DIR = dataDir;
    await fakeWorker({ dataDir, over: "socket", does: "answer", answer });
    for (const name of clients) {
      const run = await runHook(launchers[name]("session-start"), home, payload);
      expect({ name, ...run }).toEqual({ name, ...silent, stdout: answer });
    }
  });

  test("uses ~/.mem when no data directory is set", async () => {
    const home = hookHome();
    delete home.env.MEM_DATA_DIR;
    await fakeWorker({ dataDir: join(home.env.HOME ?? "", ".mem"), over: "socket", does: "answer", answer });
    expect(await runHook(shell("session-start"), home, payload)).toEqual({ ...silent, stdout: answer });
  });

  test.each([undefined, "~/mem"])("ignores the data directory %j without a home", async (named) => {
    const home = hookHome();
    const project = join(home.dataDir, "..", "project");
    mkdirSync(project);
    home.env = { ...home.env, HOME: "", MEM_DATA_DIR: named };
    const line = `cd '${project}' && ${shell("stop")[2] ?? ""}`;
    expect(await runHook(["/bin/sh", "-c", line], home, payload)).toEqual(silent);
    expect(findCanaries(project, ["toolu_1"])).toEqual([]);
    expect(existsSync("/.mem")).toBe(false);
  });

  test("runs nothing from the project folder", async () => {
    const home = hookHome();
    const trap = join(home.dataDir, "..", "project");
    mkdirSync(join(trap, "data"), { recursive: true });
    const script = join(trap, "trap.sh");
    writeFileSync(script, `#!/bin/sh\ntouch '${trap}/sprung'\n`);
    chmodSync(script, 0o755);
    writeFileSync(join(trap, "data", "hook-runtime"), `${script}\n${script}\n`);
    home.env.MEM_DATA_DIR = "data";
    const line = `cd '${trap}' && ${shell("stop")[2] ?? ""}`;
    expect(await runHook(["/bin/sh", "-c", line], home, payload)).toEqual(silent);
    expect(findCanaries(trap, ["toolu_1"])).toEqual([]);
    expect(() => readFileSync(join(trap, "sprung"))).toThrow("ENOENT");
  });

  test.each(["../../etc", "stop?x=1", "stop stop", ""])(
    "rejects %j as the name of an event",
    async (event) => {
      const home = hookHome();
      const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
      expect(await runHook(launchers["mem-hook.sh"](event), home, payload)).toEqual(silent);
      expect(await runHook(launchers["the Node bundle"](event), home, payload)).toEqual(silent);
      expect(worker.requests).toEqual([]);
    },
  );
});
