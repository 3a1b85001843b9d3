import { connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHealth } from "../../src/server/build.ts";
import { openDatabase } from "../../src/store/postgres/open.ts";
import { createTestDatabase } from "../helpers/postgres.ts";

const url = await createTestDatabase();

/** A way to the database that can fall silent, as a cut network does. */
async function wayTo(target: string): Promise<{ url: string; fallSilent(): void; connections(): number }> {
  const at = new URL(target);
  const socketFile = `${at.searchParams.get("host")}/.s.PGSQL.${at.port}`;
  const open = new Set<Socket>();
  let isSilent = false;
  let connections = 0;
  const way = createServer((near) => {
    connections += 1;
    const far = connect(socketFile);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.on("data", (bytes) => isSilent || to.write(bytes));
    }
  });
  await new Promise<void>((resolve) => void way.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const each of open) each.destroy();
    way.close();
  });
  const address = way.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  at.searchParams.delete("host");
  at.hostname = "127.0.0.1";
  at.port = String(address.port);
  return { url: at.href, fallSilent: () => (isSilent = true), connections: () => connections };
}

test("concurrent readiness checks share a query; a silent database is not ready", async () => {
  const way = await wayTo(url);
  const database = openDatabase({ url: way.url, onConnectionLost: () => undefined });
  onTestFinished(() => database.close());
  const { demandReady } = createHealth(database);
  await Promise.all(Array.from({ length: 50 }, demandReady));
  expect(way.connections()).toBe(1);
  way.fallSilent();
  const answers = await Promise.allSettled(Array.from({ length: 50 }, demandReady));
  const codes = answers.map((answer) => (answer.status === "rejected" ? answer.reason.code : "ready"));
  expect(codes).toEqual(Array(50).fill("storage_failed"));
});
