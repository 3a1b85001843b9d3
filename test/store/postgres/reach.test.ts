import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { MemError } from "../../../src/core/errors.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { demandDatabase } from "../../../src/store/postgres/reach.ts";
import { startOwnPostgres } from "../../helpers/postgres.ts";
import { type SelfSigned, selfSigned } from "../../helpers/self-signed.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const { postgres, remove } = await startOwnPostgres();
afterAll(async () => {
  await postgres.stop("immediate");
  remove();
});
const sockets = new URL(postgres.url).searchParams.get("host") ?? "";

/** PostgreSQL on a port, encrypted where it has a certificate, as a server with `ssl = on` answers. */
async function listening(secret?: SelfSigned): Promise<string> {
  const server: Server = createServer((client) => {
    client.on("error", () => undefined);
    client.once("data", (first) => {
      const wantsTls = first.length === 8 && first.readUInt32BE(4) === 80_877_103;
      const inside = connect(join(sockets, ".s.PGSQL.5432"));
      inside.on("error", () => client.destroy());
      client.on("close", () => inside.destroy());
      if (!wantsTls) inside.write(first);
      else client.write(secret === undefined ? "N" : "S");
      const plain =
        wantsTls && secret !== undefined ? new TLSSocket(client, { isServer: true, ...secret }) : client;
      plain.on("error", () => client.destroy());
      plain.pipe(inside).pipe(plain);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `postgresql://mem@localhost:${(server.address() as AddressInfo).port}/mem`;
}

async function failureOf(url: string): Promise<{ code: string; said: string }> {
  try {
    await demandDatabase(url);
  } catch (cause) {
    if (cause instanceof MemError) return { code: cause.code, said: `${cause.message} ${cause.hint}` };
    throw cause;
  }
  return { code: "", said: "" };
}

test("sslmode means what PostgreSQL's own programs take it for, in the pools too", async () => {
  const secret = selfSigned("localhost");
  const url = await listening(secret);
  const authority = join(tempDir(), "ca.pem");
  writeFileSync(authority, secret.cert);
  for (const query of [
    "sslmode=require",
    "sslmode=prefer",
    `sslmode=verify-full&sslrootcert=${authority}`,
    `sslmode=verify-ca&sslrootcert=${authority}`,
    `sslmode=require&sslrootcert=${authority}`,
  ]) {
    expect(await failureOf(`${url}?${query}`), query).toEqual({ code: "", said: "" });
    const database = openDatabase({ url: `${url}?${query}`, onConnectionLost: () => undefined });
    expect((await database.owner.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await database.close();
  }
  for (const query of ["sslmode=verify-full", "sslrootcert=system"]) {
    const { code, said } = await failureOf(`${url}?${query}`);
    expect([query, code]).toEqual([query, "setting_invalid"]);
    expect(said).toMatch(/is not trusted: self-signed certificate .*sslrootcert=/);
  }
});

test("verify-full asks for the host's name, verify-ca for the authority alone", async () => {
  const secret = selfSigned("db.example.com");
  const url = await listening(secret);
  const authority = join(tempDir(), "ca.pem");
  writeFileSync(authority, secret.cert);
  expect(await failureOf(`${url}?sslmode=verify-ca&sslrootcert=${authority}`)).toEqual({
    code: "",
    said: "",
  });
  const { code, said } = await failureOf(`${url}?sslmode=verify-full&sslrootcert=${authority}`);
  expect(code).toBe("setting_invalid");
  expect(said).toMatch(/is not trusted: Hostname\/IP does not match/);
});

test.each([
  ["sslmode=require", /has no encryption: The server does not support SSL connections.*sslmode=disable/],
  ["sslmode=requier", /an unknown sslmode.*verify-full/],
  ["sslmode=verify-ca", /sslmode=verify-ca requires specifying a CA with sslrootcert/],
  ["sslmode=verify-full&sslrootcert=/none/ca.pem", /no such file or directory, open '\/none\/ca\.pem'/],
])("%s where it cannot be had says so", async (query, says) => {
  const { code, said } = await failureOf(`${await listening()}?${query}`);
  expect([code, said]).toEqual(["setting_invalid", expect.stringMatching(says)]);
});

test("reports a wrong password without showing it", async () => {
  const cluster = join(sockets, "..", "cluster");
  const rules = join(cluster, "pg_hba.conf");
  const before = readFileSync(rules, "utf8");
  const admin = openDatabase({ url: postgres.url, onConnectionLost: () => undefined });
  await admin.owner.query("create role guarded login password 'p/s#1'");
  writeFileSync(rules, "local all guarded scram-sha-256\n");
  appendFileSync(rules, before);
  await admin.owner.query("select pg_reload_conf()");
  await admin.close();
  const url = new URL(await listening());
  url.username = "guarded";
  url.password = "hunter2";
  const { code, said } = await failureOf(url.href);
  expect(code).toBe("setting_invalid");
  expect(said).toMatch(/refuses the connection: password authentication failed for user "guarded" \(28P01\)/);
  expect(said).not.toContain("hunter2");
  url.password = "p/s#1";
  expect(await failureOf(url.href)).toEqual({ code: "", said: "" });
  url.pathname = "/absent";
  expect((await failureOf(url.href)).said).toMatch(/database "absent" does not exist/);
});

test.each([
  "postgresql://mem:12/34hunter@db.example.com/mem",
  "postgresql://mem:12#34hunter@db.example.com/mem",
  "postgresql://mem:12?34hunter@db.example.com/mem",
  "postgresql://mem:hun/ter@db.example.com/mem",
])("the password of %s, which ends the host too early, is not shown as the host", async (url) => {
  const { code, said } = await failureOf(url);
  expect(code).toBe("setting_invalid");
  expect(said).not.toMatch(/12|34|hun|ter@/);
  expect(said).toContain("%23");
});
