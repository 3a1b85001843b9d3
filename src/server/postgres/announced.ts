// One file for each server that runs on a data directory, with its address, for commands on the same machine.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { makeDirectories } from "../../core/directory.ts";
import { failOpenSync } from "../../core/errors.ts";
import { isAlive } from "../../core/is-alive.ts";

const fileName = /^server-(\d{1,10})\.json$/;
const announcement = z.object({ host: z.string(), port: z.int().min(1).max(65_535), since: z.number() });

type Announcement = z.output<typeof announcement>;

/** Writes the address of this process to its file; returns the function that removes it. */
export function announceAddress(dataDir: string, address: Announcement): () => void {
  const file = join(dataDir, `server-${process.pid}.json`);
  failOpenSync("writing the server's address", () => {
    makeDirectories(dataDir, 0o700);
    writeFileSync(file, JSON.stringify(address), { mode: 0o600 });
  });
  return () => failOpenSync("removing the server's address", () => rmSync(file, { force: true }));
}

/** `http://host:port` of the running server that started last; undefined when none runs. */
export function announcedUrl(dataDir: string): string | undefined {
  const [newest] = runningServers(dataDir).sort((one, other) => other.since - one.since);
  if (newest === undefined) return undefined;
  const { host, port } = newest;
  // A server bound to all addresses is reached by loopback too.
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function runningServers(dataDir: string): Announcement[] {
  const names = failOpenSync("looking for servers", () => readdirSync(dataDir)) ?? [];
  return names.flatMap((name) => {
    const pid = Number(fileName.exec(name)?.[1] ?? 0);
    if (pid === 0) return [];
    const file = join(dataDir, name);
    // Its server was killed.
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
