// A private PostgreSQL: a child process on a socket file, without a port, that ends when this process ends.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { isAlive } from "../../core/is-alive.ts";
import { createDatabaseIfMissing } from "../../store/postgres/reach.ts";
import { accountForInitdb, giveTo, type PostgresHome, preparePostgresHome } from "./postgres-home.ts";
import { barrierTo, installedPrograms, type PostgresUser, reachablePrograms } from "./postgres-programs.ts";

export type PrivatePostgres = Awaited<ReturnType<typeof run>>;

interface StartOptions {
  dataDir: string;
  /** Server settings, for example `fsync=off` in tests. */
  settings?: readonly string[];
  /** Another PostgreSQL than npm's, with the locale flags of its initdb; the tests run older versions with it. */
  other?: { bin: string; locale: readonly string[] };
  log?: (line: string) => void;
  /** Prints a line for the operator: what is downloaded. */
  say?: (line: string) => void;
}

// Part of the name of the socket.
const port = 5432;
const database = "mem";
const startTimeoutMs = 60_000;
const predecessorTimeoutMs = 15_000;
const pollMs = 100;

/** Starts it in the data directory; creates the cluster first if there is none. Throws `storage_failed`. */
export async function startPrivatePostgres(options: StartOptions): Promise<PrivatePostgres> {
  const { other, dataDir } = options;
  const home = preparePostgresHome(dataDir);
  await predecessorEnded(home.cluster);
  const bin = other?.bin ?? (await npmPrograms(home, options));
  if (!existsSync(join(home.cluster, "PG_VERSION")))
    await createCluster(bin, home, other?.locale ?? builtinLocale);
  return run(bin, home, options);
}

async function npmPrograms(
  { cluster, user }: PostgresHome,
  { dataDir, say = () => undefined }: StartOptions,
): Promise<string> {
  const native = await installedPrograms(dataDir, say);
  const copy = join(dirname(cluster), "programs");
  return join(user === undefined ? native : reachablePrograms({ native, user, copy }), "bin");
}

// After a SIGKILL of mem it still writes its checkpoint, and refuses a second postmaster.
async function predecessorEnded(cluster: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < predecessorTimeoutMs; waitedMs += pollMs) {
    const pid = Number(readPidFile(cluster)?.[0] ?? 0);
    if (pid === 0 || pid === process.pid || !isAlive(pid)) return;
    await delay(pollMs);
  }
}

function readPidFile(cluster: string): string[] | undefined {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return undefined;
  }
}

/** The running one of a data directory, started by another process; undefined when none runs. */
export function findPrivatePostgres(dataDir: string): { url: string } | undefined {
  const [pid, , , , sockets, , , status] = readPidFile(join(dataDir, "postgres", "cluster")) ?? [];
  if (sockets === undefined || status?.trim() !== "ready" || !isAlive(Number(pid))) return undefined;
  return { url: urlOf(sockets) };
}

// The same on every machine; PostgreSQL has it since 17.
const builtinLocale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
const unfinished = "cluster.making-";
// Without our own variables: they hold keys, and PG* variables name another server.
const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

// Renamed when it is complete: a start that is killed leaves nothing that looks like a cluster.
async function createCluster(bin: string, home: PostgresHome, locale: readonly string[]): Promise<void> {
  const { cluster, user } = home;
  const root = dirname(cluster);
  for (const name of readdirSync(root)) if (name.startsWith(unfinished)) await removeTree(join(root, name));
  const made = join(root, `${unfinished}${newId()}`);
  mkdirSync(made, { mode: 0o700 });
  const account = user === undefined ? undefined : accountForInitdb();
  if (account !== undefined) giveTo(account, made);
  const flags = [
    `--pgdata=${made}`,
    "--username=mem",
    "--encoding=UTF8",
    ...locale,
    // No port is opened, and no other user can enter the directory of the socket.
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
  ];
  const initdb = join(bin, "initdb");
  try {
    await promisify(execFile)(initdb, flags, { ...account, cwd: made, env: environment });
    if (user !== undefined) execFileSync("chown", ["-hR", `${user.uid}:${user.gid}`, made]);
    renameSync(made, cluster);
  } catch (cause) {
    await removeTree(made);
    throw initdbFailed(cause, { initdb, cluster, user });
  }
}

// After a SIGKILL of mem its initdb still adds files for a moment, then misses the removed ones and ends.
async function removeTree(path: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (cause) {
      const isFilled = codeOf(cause) === "ENOTEMPTY";
      if (!isFilled || waitedMs >= predecessorTimeoutMs) throw cause;
      await delay(pollMs);
    }
  }
}

interface FailedInitdb {
  initdb: string;
  cluster: string;
  user: PostgresUser | undefined;
}

function initdbFailed(cause: unknown, { initdb, cluster, user }: FailedInitdb): MemError {
  const code = codeOf(cause);
  if (code === "EACCES" || code === "EPERM") {
    const barrier = user === undefined ? undefined : barrierTo(initdb, user);
    return new MemError("storage_failed", {
      message: `The private PostgreSQL could not be set up. ${barrier ?? `${initdb} may not be run (${code}).`}`,
      hint: "Check the modes of the directories above it, and whether its disk is mounted `noexec`. Or set MEM_DATABASE_URL.",
      cause,
    });
  }
  const output = cause instanceof Error && "stderr" in cause ? lastLines(String(cause.stderr)) : "";
  return new MemError("storage_failed", {
    message: `The private PostgreSQL could not be set up.${output}`,
    hint: `Fix the reported problem; ${dirname(cluster)} needs 100 MB of free disk space. Or set MEM_DATABASE_URL.`,
    cause,
  });
}

/** The end of PostgreSQL's output, to append to a sentence. */
function lastLines(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.replace(/^\d{4}-\d\d-\d\d \S+ \S+ \[\d+\] /, "").trim())
    .filter((line) => line !== "");
  const fatal = lines.filter((line) => /^(FATAL|PANIC|HINT|initdb: error)/.test(line));
  const shown = (fatal.length > 0 ? fatal : lines).slice(-3);
  return shown.length === 0 ? "" : ` It said: ${shown.join(" ").slice(0, 500)}`;
}

// When this process ends, even by SIGKILL, its end of the pipe closes, and the shell stops PostgreSQL.
const supervisor = `"$@" </dev/null & server=$!
exec 3<&0
( cat <&3 >/dev/null; kill -INT $server 2>/dev/null ) &
wait $server`;

const defaults = [
  "listen_addresses=",
  "max_connections=100",
  "timezone=UTC",
  "log_timezone=UTC",
  "shared_buffers=128MB",
];

async function run(
  bin: string,
  { cluster, sockets, user }: PostgresHome,
  { settings = [], log }: StartOptions,
) {
  const flags = [...defaults, `unix_socket_directories=${sockets}`, ...settings].flatMap((flag) => [
    "-c",
    flag,
  ]);
  const command = [join(bin, "postgres"), "-D", cluster, "-p", String(port), ...flags];
  const child = spawn("/bin/sh", ["-c", supervisor, "sh", ...command], {
    ...user,
    cwd: cluster,
    env: environment,
    // Ctrl-C reaches the whole group; mem stops PostgreSQL itself, after its own work.
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      child.stdin?.end();
      resolve();
    });
  });
  const url = urlOf(sockets);
  try {
    await ready(child, log);
    await createDatabaseIfMissing(url);
  } catch (cause) {
    child.stdin?.end();
    throw cause;
  }
  const pid = Number(readPidFile(cluster)?.[0]);
  return {
    /** Its connection string, for processes of this user. */
    url,
    /** The process id of the postmaster. */
    pid,
    /** Settles when it has ended, for any reason. */
    ended,
    /** Ends it: `fast` aborts transactions and writes a checkpoint, `immediate` is a crash. */
    async stop(how: "fast" | "immediate" = "fast") {
      if (isAlive(pid)) process.kill(pid, how === "fast" ? "SIGINT" : "SIGQUIT");
      await ended;
    },
  };
}

function urlOf(sockets: string): string {
  return `postgresql://mem@localhost:${port}/${database}?host=${encodeURIComponent(sockets)}`;
}

function ready(child: ChildProcess, log: StartOptions["log"]): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (reason: string): void => {
      clearTimeout(timer);
      child.stdin?.end();
      reject(startFailed(reason, output));
    };
    const timer = setTimeout(() => fail("did not start in time"), startTimeoutMs);
    child.once("error", () => fail("could not be run"));
    // `close` comes after all of its output.
    child.once("close", () => fail("ended while it started"));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-8_000);
      for (const line of text.split("\n")) if (line !== "") log?.(line);
      if (!text.includes("ready to accept connections")) return;
      clearTimeout(timer);
      child.removeAllListeners("error");
      child.removeAllListeners("close");
      resolve();
    });
  });
}

function startFailed(reason: string, output: string): MemError {
  return new MemError("storage_failed", {
    message: `The private PostgreSQL ${reason}.${lastLines(output)}`,
    hint:
      output === ""
        ? "It printed nothing. Start it again, or set MEM_DATABASE_URL to your own PostgreSQL."
        : "Fix the reported problem, or set MEM_DATABASE_URL to your own PostgreSQL.",
  });
}
