// Installs the packed product in an empty HOME with each Node that is named, and does what a first day does: a hook that starts
// the worker, a search, a backup, doctor. Usage: node test/trials/smoke.mjs <node> [<node> ...]; prints `N passed, N failed`.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
// How this machine reaches the registry: without its own certificate, npm waits for two minutes and gives up.
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /proxy$|^NODE_EXTRA_CA_CERTS$|^npm_config_(registry|cafile)$/i.test(name),
  ),
);
const npm =
  process.env.npm_execpath ?? join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
const place = mkdtempSync(join(tmpdir(), "mem-smoke-"));

const steps = {
  install({ run, tarball }) {
    run(npm, "install", "--global", "--prefer-offline", "--no-audit", "--no-fund", tarball);
  },
  version({ mem }) {
    expect(mem("--version"), /^\d+\.\d+\.\d+/);
  },
  "the hook of a session start starts the worker"({ mem, event }) {
    mem(["hook", "claude-code", "session-start"], event({ source: "startup" }));
    expect(mem("worker", "status"), /The worker runs/);
  },
  async "a search finds what a hook brought"({ mem, event }) {
    mem(["hook", "claude-code", "user-prompt-submit"], event({ prompt: "Rename the flamingo service" }));
    const use = { tool_name: "Write", tool_input: { file_path: "flamingo.ts", content: "export {}" } };
    mem(["hook", "claude-code", "post-tool-use"], event({ ...use, tool_response: { type: "create" } }));
    for (let tries = 0; tries < 100; tries += 1) {
      const { items } = JSON.parse(mem("search", "flamingo", "--json"));
      if (items.some(({ kind }) => kind === "observation")) return;
      await delay(100);
    }
    throw new Error("no observation within 10 s");
  },
  backup({ mem, home }) {
    mem("backup", join(home, "backup.db"));
    expect(readFileSync(join(home, "backup.db"), "latin1"), /^SQLite format 3/);
  },
  doctor({ mem }) {
    mem("doctor");
  },
  "the worker stops"({ mem }) {
    expect(mem("worker", "stop"), /Stopped the worker/);
  },
};

const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", place];
const packed = execFileSync(process.execPath, [npm, ...pack], { cwd: root, encoding: "utf8" });
const tarball = join(place, packed.trim().split("\n").at(-1));
let [passed, failed] = [0, 0];
try {
  for (const node of process.argv.slice(2)) await trial(node);
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function trial(node) {
  const home = mkdtempSync(join(place, "home-"));
  const world = worldOf(node, home);
  try {
    for (const [name, step] of Object.entries(steps)) {
      const since = performance.now();
      await step({ ...world, tarball, home });
      passed += 1;
      console.log(`ok ${world.version} ${name} (${((performance.now() - since) / 1_000).toFixed(1)} s)`);
    }
  } catch (cause) {
    failed += 1;
    console.log(`failed ${world.version}: ${cause.message}`);
    spawnSync(node, [world.command, "worker", "stop"], { env: world.env });
  }
}

function worldOf(node, home) {
  const prefix = join(home, "prefix");
  mkdirSync(join(home, "work"));
  const env = {
    ...network,
    PATH: [dirname(node), join(prefix, "bin"), process.env.PATH].join(delimiter),
    HOME: home,
    TMPDIR: home,
    MEM_DATA_DIR: join(home, "data"),
    MEM_WORKER_PORT: "0",
    MEM_PROVIDER: "local",
    MEM_HOOK_TIMEOUT_MS: "20000",
    npm_config_prefix: prefix,
    npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME, ".npm"),
  };
  const run = (file, ...words) => start(node, [file, ...words], env);
  const command = join(prefix, "lib/node_modules/agent-mem/bin/mem.js");
  const mem = (first, ...rest) =>
    Array.isArray(first) ? start(node, [command, ...first], env, rest[0]) : run(command, first, ...rest);
  const event = (fields) =>
    JSON.stringify({ session_id: "smoke", cwd: join(home, "work"), transcript_path: "", ...fields });
  return { env, command, run, mem, event, version: run("-p", "process.version").trim() };
}

function start(node, words, env, input = "") {
  const options = { env, input, encoding: "utf8", timeout: 120_000 };
  const { status, stdout, stderr } = spawnSync(node, words, options);
  if (status !== 0) throw new Error(`${words.slice(1).join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

function expect(text, pattern) {
  if (!pattern.test(text)) throw new Error(`${pattern} is not in: ${text.slice(0, 300)}`);
}
