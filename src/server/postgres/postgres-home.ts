// Directories and user of the private PostgreSQL. It refuses to run as root, so root gives it a uid and a way in.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectories } from "../../core/directory.ts";
import { codeOf, unlessMissing } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { contentKey } from "../../core/ids.ts";
import { inShell } from "../../text/in-shell.ts";
import { ancestorsOf, type PostgresUser } from "./postgres-programs.ts";

export interface PostgresHome {
  /** The directory of the cluster. */
  cluster: string;
  /** The directory of its socket: who may enter it may connect. */
  sockets: string;
  /** The user it runs as; undefined is the user of this process. */
  user: PostgresUser | undefined;
}

/**
 * Makes the directories below `dataDir`. Throws `data_dir_unusable` when root's PostgreSQL cannot reach its cluster, and
 * when the link to a cluster outside of the data directory is gone.
 */
export function preparePostgresHome(dataDir: string): PostgresHome {
  if (process.getuid?.() !== 0) {
    const root = join(dataDir, "postgres");
    makeDirectories(root, 0o700);
    return { ...privateDirectories(root), user: undefined };
  }
  const root = reachableRoot(dataDir);
  makeDirectories(root, 0o711);
  chmodSync(root, 0o711);
  const home = privateDirectories(root);
  const user = userOf(home.cluster);
  for (const directory of [home.cluster, home.sockets]) giveTo(user, directory);
  return { ...home, user };
}

// PostgreSQL needs no account, and neither systemd nor Debian gives this id to anybody else.
const reservedId = 65_525;

/** Earlier versions ran it as the user `postgres` or their own one. */
function userOf(cluster: string): PostgresUser {
  const { uid, gid } = statSync(cluster);
  return uid === 0 ? { uid: reservedId, gid: reservedId } : { uid, gid };
}

/** Makes the user the owner. Throws `data_dir_unusable`, for example in a user namespace without the id. */
export function giveTo({ uid, gid }: PostgresUser, directory: string): void {
  try {
    // chown takes ids without a sign, and `accountForInitdb` has them with one.
    chownSync(directory, uid >>> 0, gid >>> 0);
  } catch (cause) {
    const code = codeOf(cause) || "unknown";
    throw new MemError("data_dir_unusable", {
      message: `PostgreSQL does not run as root, and ${directory} cannot be given to user id ${uid >>> 0} (${code}).`,
      hint: "Start mem as another user, or set MEM_DATABASE_URL.",
      cause,
    });
  }
}

/**
 * The account that initdb runs as: it asks for the name of its user. Its ids are signed, as processes take them: macOS
 * prints -2 as 4294967294. Throws `data_dir_unusable`.
 */
export function accountForInitdb(): PostgresUser {
  try {
    const id = (flag: string) =>
      Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8", stdio: "pipe" })) | 0;
    return { uid: id("-u"), gid: id("-g") };
  } catch (cause) {
    throw new MemError("data_dir_unusable", {
      message: "PostgreSQL does not run as root, and this system has no user `nobody`.",
      hint: "Start mem as another user, or set MEM_DATABASE_URL.",
      cause,
    });
  }
}

// A socket's address holds 103 bytes on macOS and 107 on Linux; `.s.PGSQL.5432` is 14 of them.
const longestSocketDirectory = 85;

function privateDirectories(root: string): { cluster: string; sockets: string } {
  const inside = join(root, "run");
  const sockets =
    Buffer.byteLength(inside) <= longestSocketDirectory ? inside : join("/tmp", `mem-pg-${shortName(root)}`);
  const cluster = join(root, "cluster");
  for (const directory of [cluster, sockets]) {
    makeDirectories(directory, 0o700);
    if (!lstatSync(directory).isDirectory()) {
      throw new MemError("data_dir_unusable", { message: `${directory} is a link, not a directory.` });
    }
    chmodSync(directory, 0o700);
  }
  return { cluster, sockets };
}

// Another user has to get through every directory above. Where one is closed, as /root is, the cluster is below /var/lib,
// and the data directory has a link to it.
function reachableRoot(dataDir: string): string {
  const inside = join(dataDir, "postgres");
  const outside = join("/var/lib/agent-mem", shortName(dataDir));
  if (!existsSync(inside) && holdsCluster(outside)) throw linkGone(inside, outside);
  const closed = ancestorsOf(dataDir).findLast((directory) => (statSync(directory).mode & 0o001) === 0);
  if (closed === undefined) {
    // Others may pass through, not list: the mode of each file beside it still protects it.
    chmodSync(dataDir, 0o711);
    return inside;
  }
  // A new cluster elsewhere would look as if the memory were lost.
  if (holdsCluster(inside) && !isLink(inside)) throw closedIn(inside, closed);
  makeDirectories(outside, 0o711);
  // The umask may have closed them.
  for (const directory of [dirname(outside), outside]) chmodSync(directory, 0o711);
  if (!existsSync(inside)) symlinkSync(outside, inside);
  return outside;
}

// Removing the data directory may have meant to remove the memory, or may have been an accident: the user decides.
function linkGone(inside: string, outside: string): MemError {
  return new MemError("data_dir_unusable", {
    message: `The memory of this data directory is in ${outside}, but the link to it, ${inside}, is gone.`,
    hint: `To keep the memory, run \`ln -s ${inShell(outside)} ${inShell(inside)}\`. To delete it for good, run \`rm -r ${inShell(outside)}\`. Then start again.`,
  });
}

function closedIn(inside: string, closed: string): MemError {
  return new MemError("data_dir_unusable", {
    message: `The memory is in ${inside}, and PostgreSQL, which does not run as root, can no longer pass through ${closed}.`,
    hint: `Let others pass through it (they still cannot list it): \`chmod o+x ${inShell(closed)}\`. Then start again.`,
  });
}

function holdsCluster(root: string): boolean {
  return existsSync(join(root, "cluster", "PG_VERSION"));
}

function isLink(path: string): boolean {
  return unlessMissing(() => lstatSync(path))?.isSymbolicLink() === true;
}

/** The directory of a data directory's PostgreSQL, and whether it is outside: to delete the memory, delete both. */
export function placeOfPostgres(dataDir: string): { place: string; isOutside: boolean } {
  const inside = join(dataDir, "postgres");
  return { place: existsSync(inside) ? realpathSync(inside) : inside, isOutside: isLink(inside) };
}

function shortName(path: string): string {
  return contentKey(path).slice(0, 16);
}
