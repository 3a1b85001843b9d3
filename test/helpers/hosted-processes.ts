// Hosted server processes as an operator runs them: the built command, with a test database and a private HOME.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));

export interface ServerProcess {
  process: ChildProcess;
  /** `http://127.0.0.1:<port>`. */
  url: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves to its exit code. */
  stop(): Promise<number | null>;
  /** What it wrote to stderr: its log. */
  log(): string;
}

interface ServerOptions {
  role: "all" | "http" | "generate";
  databaseUrl: string;
  env?: Record<string, string>;
}

/** Starts one, and resolves when it answers. It is gone after the running test. */
export async function startServer({ role, databaseUrl, env = {} }: ServerOptions): Promise<ServerProcess> {
  const home = tempDir();
  const child = spawn(process.execPath, [bin, "server", "--role", role, "--port", "0"], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      MEM_DATA_DIR: `${home}/data`,
      MEM_PROVIDER: "local",
      MEM_DATABASE_URL: databaseUrl,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const url = await addressOf(child, () => log);
  return {
    process: child,
    url,
    log: () => log,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}

function addressOf(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const address = /answers at (http:\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${log()}`)));
  });
}
