import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { tempDir } from "../../helpers/temp-dir.ts";
import { type FakeWorld, fakeWorld, local } from "../support.ts";

const fixture = fileURLToPath(new URL("../../fixtures/viewer", import.meta.url));
let world: FakeWorld | undefined;
afterEach(() => world?.app.close());

async function get(url: string, headers: Record<string, string> = {}, directory = fixture) {
  world ??= fakeWorld({ override: { viewerDirectory: directory } });
  return world.app.inject({ url, headers: { ...local, ...headers } });
}

afterEach(() => {
  world = undefined;
});

const policy = (page: { headers: Record<string, unknown> }) =>
  String(page.headers["content-security-policy"]);

test("the viewer is a page with a strict policy that is asked for again each time", async () => {
  const page = await get("/");
  expect(page.body).toBe(readFileSync(join(fixture, "index.html"), "utf8"));
  expect(page.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
  });
  const again = await get("/", { "if-none-match": String(page.headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
});

test.each([
  ["viewer-3c4d.js", "text/javascript; charset=utf-8"],
  ["page-1a2b.css", "text/css; charset=utf-8"],
])("the asset %s has its type and may be kept for ever", async (name, type) => {
  const asset = await get(`/assets/${name}`);
  expect(asset.body).toBe(readFileSync(join(fixture, "assets", name), "utf8"));
  expect(asset.headers).toMatchObject({
    "content-type": type,
    "cache-control": "public, max-age=31536000, immutable",
  });
});

test("scripts and styles that stand in the TV page are allowed by their digests", async () => {
  const page = await get("/tv");
  expect((await get("/tv.html")).body).toBe(page.body);
  const textOf = (tag: string) => page.body.split(`<${tag}>`)[1]?.split("</")[0] ?? "";
  const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const script = page.body.split('<script type="module">')[1]?.split("</script>")[0] ?? "";
  expect(script).toContain("document.title");
  expect(policy(page)).toContain(`script-src 'self' ${digest(script)};`);
  expect(policy(page)).toContain(`style-src 'self' ${digest(textOf("style"))};`);
});

test.each([
  "/assets/missing.js",
  "/assets/..%2findex.html",
  "/assets/../index.html",
  "/assets/",
  "/assets/%2e%2e%2f%2e%2e%2fpackage.json",
  "/assets/secret.txt",
  "/index.html",
  "/assets/page-1a2b.css/",
])("%s is 404", async (url) => {
  const directory = tempDir();
  cpSync(fixture, directory, { recursive: true });
  writeFileSync(join(directory, "assets", "secret.txt"), "no type, so not served");
  expect((await get(url, {}, directory)).statusCode).toBe(404);
});

test("a viewer that is not built says so, and is served when it is", async () => {
  const directory = tempDir();
  for (const url of ["/", "/tv"]) {
    expect((await get(url, {}, directory)).json()).toMatchObject({
      error: { code: "not_found", message: "The viewer is not built." },
    });
  }
  cpSync(fixture, directory, { recursive: true });
  expect((await get("/")).statusCode).toBe(200);
});
