// A reader that goes away: no command says a word about it, and none ends otherwise than it would have.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { volume } from "../helpers/volume.ts";
import { calledMem } from "./mem.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));

// Those before the empty line are of each way to print: help, text, JSON, a note, a stream, a file and an error.
const commands = [
  "--help",
  "status",
  "doctor --json",
  "search login",
  "search --project nosuch login",
  "show P1",
  "export",
  "worker logs",
  "nosuch",
  "--version",
  "doctor",
  "search login --json",
  "timeline P1",
  "file src/login.ts",
  "project list",
  "queue list",
  "queue list --failed --json",
  "cost",
  "regenerate --dry-run",
  "mode list",
  "mode show code",
  "folders list",
  "settings list --long",
  "install claude-code --print",
  "mcp status",
  "worker status",
  "keys list",
  "server status",
];

test("a command is silent when its reader goes away, and ends with the same code", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  await client.postSession("init", { claudeSessionId: "s", project: "shop", prompt: "Mend the login" });
  await client.close();

  async function runWithout(closed: "stdout" | "stderr", words: readonly string[]) {
    const child = spawn(process.execPath, [bin, ...words], {
      env: mem.home.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child[closed].destroy();
    const exited = once(child, "exit");
    const said = await text(closed === "stdout" ? child.stderr : child.stdout);
    const [code] = await exited;
    return { code, said };
  }
  for (const command of commands.slice(0, volume(commands.length, 9))) {
    const words = command.split(" ");
    const { code, stderr } = await mem(...words);
    const withoutStdout = await runWithout("stdout", words);
    // A command that writes nothing to stderr cannot meet its end.
    const isQuiet = stderr === "" && withoutStdout.said === "";
    const runs = isQuiet ? [withoutStdout] : [withoutStdout, await runWithout("stderr", words)];
    for (const run of runs) {
      expect([command, run.code]).toEqual([command, code]);
      expect(run.said, command).not.toMatch(/EPIPE|broken pipe|cannot be written|^\s+at /im);
    }
  }
});
