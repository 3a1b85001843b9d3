// Where the private PostgreSQL lies, and as whom it runs: it refuses to be root, so root lends it a user and a way in.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectories } from "../core/directory.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import type { LentUser } from "./postgres-programs.ts";

export interface PostgresHome {
  /** The directory of the cluster. */
  cluster: string;
  /** The directory of its socket: who may enter it may connect. */
  sockets: string;
  /** As whom it runs; undefined is as ourselves. */
  user: LentUser | undefined;
}

/**
 * Makes the directories below `dataDir`. Throws `data_dir_unusable` when root finds nobody to run it as, and when what lies
 * elsewhere for this data directory is not linked to it any more.
 */
export function preparePostgresHome(dataDir: string): PostgresHome {
  if (process.getuid?.() !== 0) return ownHome(join(dataDir, "postgres"));
  const user = unprivilegedUser();
  return lentHome(reachableHome(dataDir), user);
}

function ownHome(root: string): PostgresHome {
  makeDirectories(root, 0o700);
  return { ...made(root), user: undefined };
}

function lentHome(root: string, user: LentUser): PostgresHome {
  makeDirectories(root, 0o711);
  chmodSync(root, 0o711);
  const home = made(root);
  for (const directory of [home.cluster, home.sockets]) chownSync(directory, user.uid, user.gid);
  return { ...home, user };
}

// A socket's address holds 103 bytes on macOS and 107 on Linux; `.s.PGSQL.5432` is 14 of them.
const longestSocketDirectory = 85;

function made(root: string): { cluster: string; sockets: string } {
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

// Another user has to get through every directory above: where one is closed (as /root is), the cluster lies beside the
// system's other state, and a link in the data directory leads there.
function reachableHome(dataDir: string): string {
  const inside = join(dataDir, "postgres");
  const outside = outsideOf(dataDir);
  if (!existsSync(inside) && holdsCluster(outside)) throw unlinked(inside, outside);
  const closed = ancestorsOf(dataDir).find((directory) => !isOpenToPass(directory));
  if (closed === undefined) {
    // Passing through, not listing: what lies beside it stays closed by its own mode.
    chmodSync(dataDir, 0o711);
    return inside;
  }
  // A new cluster elsewhere would look as if the memory were lost.
  if (holdsCluster(inside) && !isLink(inside)) throw shutIn(inside, closed);
  makeDirectories(outside, 0o711);
  // Ours closes what it makes to everybody (the umask), also the directory that all clusters lie in.
  for (const directory of [dirname(outside), outside]) chmodSync(directory, 0o711);
  if (!existsSync(inside)) symlinkSync(outside, inside);
  return outside;
}

function outsideOf(dataDir: string): string {
  return join("/var/lib/agent-mem", shortName(dataDir));
}

// Who removed the data directory meant to remove the memory, or lost it: neither is for a start to decide.
function unlinked(inside: string, outside: string): MemError {
  return new MemError("data_dir_unusable", {
    message: `The memory that this data directory had lies in ${outside}, and ${inside}, which led there, is gone.`,
    hint: `To have it again run \`ln -s ${inShell(outside)} ${inShell(inside)}\`; to remove it for good \`rm -r ${inShell(outside)}\`. Then start again.`,
  });
}

function shutIn(inside: string, closed: string): MemError {
  return new MemError("data_dir_unusable", {
    message: `The memory lies in ${inside}, and PostgreSQL, which is not root, cannot pass through ${closed} to it any more.`,
    hint: `Let it pass, which shows nobody what is in it: \`chmod o+x ${inShell(closed)}\`. Then start again.`,
  });
}

function holdsCluster(root: string): boolean {
  return existsSync(join(root, "cluster", "PG_VERSION"));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Where the cluster of a data directory lies, and whether that is outside of it: who removes one must remove both. */
export function placeOfPostgres(dataDir: string): { place: string; isOutside: boolean } {
  const inside = join(dataDir, "postgres");
  const place = existsSync(inside) ? realpathSync(inside) : inside;
  return { place, isOutside: isLink(inside) };
}

/** A path as a shell reads it. */
export function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function ancestorsOf(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...ancestorsOf(above)];
}

function isOpenToPass(directory: string): boolean {
  return (statSync(directory).mode & 0o001) !== 0;
}

function unprivilegedUser(): LentUser {
  const found = idsOf("postgres") ?? idsOf("mem-postgres");
  if (found !== undefined) return found;
  failOpenSync("making a user for PostgreSQL", () =>
    execFileSync("useradd", ["--system", "--no-create-home", "--user-group", "mem-postgres"], {
      stdio: "ignore",
    }),
  );
  const created = idsOf("mem-postgres");
  if (created !== undefined) return created;
  throw new MemError("data_dir_unusable", {
    message: "PostgreSQL does not run as root, and there is no user `postgres` to run it as.",
    hint: "Create one (`useradd --system postgres`), start mem as another user, or set MEM_DATABASE_URL.",
  });
}

function idsOf(name: string): LentUser | undefined {
  return failOpenSync("looking for a user", () => {
    const id = (flag: string) =>
      Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    return { name, uid: id("-u"), gid: id("-g") };
  });
}

function shortName(path: string): string {
  return contentKey(path).slice(0, 16);
}
