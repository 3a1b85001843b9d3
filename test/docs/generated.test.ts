import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { openTestServer } from "../helpers/hosted-server.ts";
import { fakeWorld, local } from "../http/support.ts";
import { configurationDocument } from "./configuration.ts";
import { httpApiDocument } from "./http-api.ts";

const document = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));

const server = await openTestServer();
const worker = fakeWorld();
afterAll(() => worker.app.close());

test("docs/configuration.md lists every setting as the tables have it", async () => {
  await expect(configurationDocument()).toMatchFileSnapshot(document("configuration.md"));
});

test("docs/http-api.md lists every route of both OpenAPI documents", async () => {
  const [loopback, hosted] = await Promise.all([
    worker.app.inject({ url: "/api/openapi.json", headers: local }),
    server.app.inject({ url: "/v1/openapi.json", headers: { host: "x" } }),
  ]);
  await expect(httpApiDocument(loopback.json(), hosted.json())).toMatchFileSnapshot(document("http-api.md"));
});
