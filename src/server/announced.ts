// The addresses of the servers that run on a data directory: one file each, for commands on the same machine.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { makeDirectories } from "../core/directory.ts";
import { failOpenSync } from "../core/errors.ts";

const fileName = /^server-(\d{1,10})\.json$/;
const announcement = z.object({ host: z.string(), port: z.int().min(1).max(65_535), since: z.number() });

type Announcement = z.output<typeof announcement>;

/** Says where this process answers; the way to take it back. */
export function announceAddress(dataDir: string, address: Announcement): () => void {
  const file = join(dataDir, `server-${process.pid}.json`);
  failOpenSync("announcing the server's address", () => {
    makeDirectories(dataDir, 0o700);
    writeFileSync(file, JSON.stringify(address), { mode: 0o600 });
  });
  return () =>
    failOpenSync("taking the server's address back", () => {
      rmSync(file, { force: true });
    });
}

/** `http://host:port` of the server that began last and still runs; undefined when none does. */
export function announcedUrl(dataDir: string): string | undefined {
  const [newest] = runningServers(dataDir).sort((one, other) => other.since - one.since);
  if (newest === undefined) return undefined;
  const { host, port } = newest;
  // Bound to every address it is reached by loopback, too.
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function runningServers(dataDir: string): Announcement[] {
  const names = failOpenSync("looking for servers", () => readdirSync(dataDir)) ?? [];
  return names.flatMap((name) => {
    const pid = Number(fileName.exec(name)?.[1] ?? 0);
    if (pid === 0) return [];
    const file = join(dataDir, name);
    // Left by one that was killed.
    if (!isAlive(pid)) {
      failOpenSync("removing a server's old address", () => rmSync(file, { force: true }));
      return [];
    }
    const found = failOpenSync("reading a server's address", () =>
      announcement.safeParse(JSON.parse(readFileSync(file, "utf8"))),
    );
    return found?.success === true ? [found.data] : [];
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // Of another user, it is alive all the same.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
