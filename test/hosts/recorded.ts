// Recorded payloads of hosts, by the names of their files.
import { readdirSync, readFileSync } from "node:fs";
import type { JsonObject } from "../../src/text/json.ts";

const fixtures = new URL("../fixtures/host-events/", import.meta.url);

/** The names without `.json`. */
export function recordedFiles(host: string): string[] {
  return readdirSync(new URL(host, fixtures)).map((file) => file.replace(".json", ""));
}

export function recordedPayload(host: string, file: string): JsonObject {
  return JSON.parse(readFileSync(new URL(`${host}/${file}.json`, fixtures), "utf8"));
}
