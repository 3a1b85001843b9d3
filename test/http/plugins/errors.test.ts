import { afterAll, describe, expect, test } from "vitest";
import { type ErrorCode, errorCatalogue, MemError } from "../../../src/core/errors.ts";
import { toHttpError } from "../../../src/http/plugins/errors.ts";
import { errorBody } from "../../../src/http/schemas/error.ts";
import { Database } from "../../../src/store/sqlite/library.ts";
import { storageError } from "../../../src/store/sqlite/storage-error.ts";
import { sendRaw } from "../../helpers/raw-http.ts";
import { fakeWorld, listenOnLoopback, local } from "../support.ts";

const canary = "canary-7d1f";

// SQLite's primary codes, and the extended codes that mem distinguishes or could confuse.
const sqliteCodes = [
  ..."ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN".split(
    " ",
  ),
  ..."PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB".split(" "),
  ..."BUSY_RECOVERY BUSY_SNAPSHOT BUSY_TIMEOUT LOCKED_SHAREDCACHE LOCKED_VTAB CORRUPT_VTAB CORRUPT_INDEX".split(
    " ",
  ),
  ..."IOERR_READ IOERR_SHORT_READ IOERR_WRITE IOERR_FSYNC IOERR_TRUNCATE IOERR_NOMEM IOERR_LOCK".split(" "),
  ..."READONLY_DBMOVED READONLY_ROLLBACK CANTOPEN_ISDIR CONSTRAINT_UNIQUE CONSTRAINT_FOREIGNKEY".split(" "),
].map((name) => `SQLITE_${name}`);

describe("every error", () => {
  let thrown: Error;
  const fail = () => Promise.reject(thrown);
  const failing = fakeWorld({
    override: {
      projects: () => {
        throw thrown;
      },
      intake: { initSession: fail, observe: fail, summarize: fail, complete: fail },
    },
  });
  afterAll(() => failing.app.close());

  test.each([
    ["SQLITE_FULL", 507, "storage_full"],
    ["SQLITE_BUSY", 503, "storage_busy"],
    ["SQLITE_BUSY_SNAPSHOT", 503, "storage_busy"],
    ["SQLITE_LOCKED", 503, "storage_busy"],
    ["SQLITE_CORRUPT", 503, "database_corrupt"],
    ["SQLITE_CORRUPT_VTAB", 503, "database_corrupt"],
    ["SQLITE_NOTADB", 503, "database_corrupt"],
    ["SQLITE_IOERR_WRITE", 507, "storage_full"],
    ["SQLITE_IOERR_READ", 503, "storage_failed"],
    ["SQLITE_ERROR", 500, "internal"],
    ["ENOSPC", 507, "storage_full"],
    ["ECONNREFUSED", 500, "internal"],
  ])("%s from a port is %i %s, with no word of what is inside", async (code, status, expected) => {
    thrown = Object.assign(new Error(`${canary} at table x`), { code });
    const answer = await failing.app.inject({ url: `/api/projects?token=${canary}`, headers: local });
    expect(answer.statusCode).toBe(status);
    expect(errorBody.parse(answer.json()).error.code).toBe(expected);
    expect(answer.body).not.toContain(canary);
    expect(answer.headers["retry-after"]).toBe(status === 503 ? "1" : undefined);
  });

  test("of the catalogue is answered with its own status and body", async () => {
    for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
      const error = new MemError(code);
      thrown = error;
      const answer = await failing.app.inject({
        method: "POST",
        url: "/api/sessions/complete",
        headers: local,
        payload: { claudeSessionId: "c" },
      });
      expect(answer.statusCode).toBe(error.status);
      expect(answer.json()).toEqual(error.toBody());
    }
  });

  test.each(sqliteCodes)("%s means the same for a read as for a write", (code) => {
    const thrown = new Database.SqliteError(`${canary} at table x`, code);
    expect(toHttpError(thrown).toBody()).toEqual(storageError(thrown).toBody());
    expect(toHttpError(thrown).status).toBe(storageError(thrown).status);
  });

  test.each([undefined, null, "text", 7, {}, { statusCode: 418 }])(
    "thrown as %j still has a code",
    (thrown) => {
      expect(toHttpError(thrown).toBody().error.code).toMatch(/^(internal|invalid_request)$/);
    },
  );

  test("of the worker itself is logged with cause and path, never the query", async () => {
    const world = fakeWorld({
      logLevel: "debug",
      override: {
        projects: () => {
          throw new Error("broken inside");
        },
      },
    });
    await world.app.inject({ url: `/api/projects?token=${canary}`, headers: local });
    const log = world.log.join("");
    expect(log).toContain("broken inside");
    expect(log).toContain('"path":"/api/projects"');
    expect(log).not.toContain(canary);
    await world.app.close();
  });
});

describe("an unknown route", () => {
  const world = fakeWorld({ logLevel: "trace" });
  afterAll(() => world.app.close());

  test("is a constant 404 that repeats nothing of the request", async () => {
    const bodies = new Set<string>();
    for (const url of [
      `/${canary}`,
      `/api/${canary}?token=${canary}`,
      "/API/health",
      "/api/health/",
      "//api/health",
      "/index.html",
    ]) {
      for (const method of ["GET", "POST", "PUT", "DELETE"] as const) {
        const answer = await world.app.inject({ method, url, headers: local });
        expect(answer.statusCode, `${method} ${url}`).toBe(404);
        bodies.add(answer.body);
      }
    }
    expect(bodies.size).toBe(1);
    expect([...bodies][0]).not.toContain(canary);
    expect(world.log.join("")).not.toContain(`token=${canary}`);
  });

  test("with a path that is not valid percent-encoding is 400 and repeats nothing", async () => {
    const answer = await world.app.inject({ url: `/%zz${canary}`, headers: local });
    expect(answer.statusCode).toBe(400);
    expect(errorBody.parse(answer.json()).error.code).toBe("invalid_request");
    expect(answer.body).not.toContain(canary);
  });
});

describe("bytes that are no HTTP", () => {
  test.each([
    ["garbage", `${canary}\r\n\r\n`, 400],
    ["a bad header", `GET / HTTP/1.1\r\nHost: a\r\nbad header ${canary}\r\n\r\n`, 400],
    ["headers over 16 KB", `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`, 431],
    ["the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ])("%s get the one error body", async (_name, bytes, status) => {
    const world = fakeWorld({ logLevel: "trace" });
    const port = await listenOnLoopback(world);
    const answer = await sendRaw(port, bytes);
    expect(answer.status).toBe(status);
    const { error } = errorBody.parse(JSON.parse(answer.body));
    expect(error.code).toBe("invalid_request");
    expect(error.hint).toMatch(status === 431 ? /fewer/ : /HTTP\/1\.1/);
    expect(answer.headers).toContain("x-content-type-options: nosniff");
    expect(answer.body + world.log.join("")).not.toContain(canary);
    await world.app.close();
  });
});
