// Paths of a data directory's files and of the package's files.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Every file of a data directory. No other code builds these names. */
export interface DataPaths {
  root: string;
  database: string;
  ownerLock: string;
  settings: string;
  /** Gateway credentials of the `primary` provider. */
  dotEnv: string;
  /** pid, port, version and instance secret of the running worker. */
  workerFile: string;
  /** Left by a hook that timed out; names the hung worker. */
  hungMark: string;
  /** Two lines for the shell launcher: the Node that runs the worker, and the hook bundle. */
  hookRuntime: string;
  /** Unix socket, or named pipe on Windows, that hooks use. */
  socket: string;
  logs: string;
  logFile: string;
  /** Log of the hosted server, where one runs. */
  serverLogFile: string;
  /** Directory of the sync hub, where one runs. */
  hub: string;
  hubDatabase: string;
  hubLock: string;
  hubLogFile: string;
  /** Causes of crashes. */
  crashFile: string;
  spool: string;
  /** A user's own modes, one JSON file each. */
  modes: string;
  /** The user's own prices of models, above the shipped ones. */
  prices: string;
  /** Working directory and records of the host commands that generate records. */
  hostCli: string;
  /** The launchers that hosts start, at a path that no update moves. */
  launcher: string;
  installVersion: string;
  /** What `mem install` changed, so that uninstall can restore it. */
  installs: string;
}

/** The files of the data directory `root`. */
export function dataPaths(root: string): DataPaths {
  const at = resolve(root);
  return {
    root: at,
    database: join(at, "mem.db"),
    ownerLock: join(at, "owner.lock"),
    settings: join(at, "settings.json"),
    dotEnv: join(at, ".env"),
    workerFile: join(at, "worker.json"),
    hungMark: join(at, "worker-hung"),
    hookRuntime: join(at, "hook-runtime"),
    socket: socketPath(at),
    logs: join(at, "logs"),
    logFile: join(at, "logs", "worker.log"),
    serverLogFile: join(at, "logs", "server.log"),
    hub: join(at, "hub"),
    hubDatabase: join(at, "hub", "hub.db"),
    hubLock: join(at, "hub", "hub.lock"),
    hubLogFile: join(at, "logs", "hub.log"),
    crashFile: join(at, "logs", "crash.log"),
    spool: join(at, "spool"),
    modes: join(at, "modes"),
    prices: join(at, "prices.json"),
    hostCli: join(at, "host-cli"),
    launcher: join(at, "bin"),
    installVersion: join(at, ".install-version"),
    installs: join(at, "installs.json"),
  };
}

/** A file that the package ships, for example `templates/...`: works from src/ and from dist/. */
export function packageFile(...parts: readonly string[]): string {
  return join(packageRoot(), ...parts);
}

let root: string | undefined;

function packageRoot(): string {
  if (root !== undefined) return root;
  let at = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(at, "package.json")) && dirname(at) !== at) at = dirname(at);
  root = at;
  return at;
}

// A socket address has at most 107 bytes on Linux and 103 on macOS: bind and connect use the name from inside the data
// directory.
function socketPath(dataDir: string): string {
  if (process.platform !== "win32") return join(dataDir, "worker.sock");
  return `\\\\.\\pipe\\agent-mem-${shortName(dataDir)}`;
}

// Loaded late: node:crypto costs a spooling hook 4 ms.
function shortName(dataDir: string): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
}

/** A path with the home directory as `~`. */
export function homePath(path: string): string {
  const home = homedir();
  if (!isAbsolute(home)) return path;
  return path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
