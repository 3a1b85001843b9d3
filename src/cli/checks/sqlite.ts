// Whether a Node can load SQLite, tried in a separate process: where it cannot, that process may crash or hang.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { MemError } from "../../core/errors.ts";
import { type DataPaths, homePath, packageFile } from "../../core/paths.ts";
import { startedByLaunchers } from "../../hosts/launcher-files.ts";
import { childEnvironment, type Environment } from "../../settings/environment.ts";
import { type Check, fail, ok } from "./check.ts";

/** A Node, and the hook's bundle in the package whose SQLite it loads. */
export interface Runtime {
  node: string;
  bundle: string;
}

/** This Node and this package. */
export const ownRuntime = (): Runtime => ({
  node: process.execPath,
  bundle: packageFile("dist", "hook.cjs"),
});

// Of another package too, whose version may differ.
const trial = (bundle: string) => `
const load = require("node:module").createRequire(${JSON.stringify(bundle)});
const { node, napi } = process.versions;
try {
  let name = "better-sqlite3";
  if (napi < 10 && parseInt(load(name + "/package.json").version) > 12) {
    name = "../node_modules/.old-node/node_modules/better-sqlite3";
    try { load.resolve(name) } catch { throw Error("Node " + node + " is too old: 22.14 or newer is needed") }
  }
  new (load(name))(":memory:").close();
} catch ({ message }) {
  const [line] = message.split("\\n");
  process.stdout.write(/\\.node'|bindings/.test(line) ? "no binary for " + process.platform + "-" + process.arch : line);
  process.exitCode = 1;
}`;

const deadlineMs = 10_000;

/** Why the runtime cannot load SQLite; null where it can. */
export function sqliteProblem({ node, bundle }: Runtime, environment: Environment): Promise<string | null> {
  // The worker gets the options of this process, such as the loader of Yarn. Hooks start their Node without options.
  const options = node === process.execPath ? environment.NODE_OPTIONS : undefined;
  const env = childEnvironment(environment, { NODE_OPTIONS: options, NODE_EXTRA_CA_CERTS: undefined });
  return new Promise((resolve) => {
    execFile(node, ["-e", trial(bundle)], { env, timeout: deadlineMs }, (error, stdout) => {
      if (error === null) resolve(null);
      else
        resolve(
          stdout || (error.killed ? "no answer within 10 s" : `ended with ${error.signal ?? error.code}`),
        );
    });
  });
}

const howToLoad = "Install mem again, or use another Node";

/** Throws `worker_not_ready` when a worker that is started now could not load SQLite. */
export async function demandSqlite(environment: Environment): Promise<void> {
  const problem = await sqliteProblem(ownRuntime(), environment);
  if (problem !== null) throw noSqlite(problem);
}

export function noSqlite(problem: string): MemError {
  return new MemError("worker_not_ready", {
    message: `SQLite cannot be loaded here (${problem}), so nothing was changed.`,
    hint: `${howToLoad}.`,
  });
}

/** SQLite loads here, and with the Node that hooks start. */
export async function checkSqlite(
  paths: DataPaths,
  environment: Environment,
): Promise<{ check: Check; loadsHere: boolean }> {
  const name = "SQLite";
  const own = ownRuntime();
  const problem = await sqliteProblem(own, environment);
  if (problem !== null)
    return { check: fail(name, `It cannot be loaded here: ${problem}.`, howToLoad), loadsHere: false };
  const hooks = startedByLaunchers(paths);
  const isOther = hooks !== null && (hooks.node !== own.node || hooks.bundle !== own.bundle);
  // The checks of the hooks report what is gone.
  if (!isOther || !existsSync(hooks.node) || !existsSync(hooks.bundle))
    return { check: ok(name, "loads here"), loadsHere: true };
  const other = await sqliteProblem(hooks, environment);
  const node = homePath(hooks.node);
  const check =
    other === null
      ? ok(name, `loads here, and with ${node}, which hooks start`)
      : fail(name, `Hooks start ${node}, which cannot load it: ${other}.`, "mem repair");
  return { check, loadsHere: true };
}
