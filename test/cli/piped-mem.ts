// Runs the built command line with lines on its standard input.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { MemRun } from "./mem.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
const cheapScrypt = fileURLToPath(new URL("../helpers/cheap-scrypt.cjs", import.meta.url));

/** Runs `mem` to its end. A passphrase costs it little: accounts of other commands do not open with it. */
export async function pipeToMem(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  lines: readonly string[],
): Promise<MemRun> {
  const child = spawn(process.execPath, ["--require", cheapScrypt, bin, ...words], { env, stdio: "pipe" });
  child.stdin.end(`${lines.join("\n")}\n`);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { stdout, stderr, code: child.exitCode };
}
