// openclaw.plugin.json and the package of the plugin, against what the plugin reads.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import plugin from "../../../src/hosts/openclaw-plugin/plugin.ts";
import { readPluginSettings } from "../../../src/hosts/openclaw-plugin/plugin-settings.ts";

interface Schema {
  type: string;
  default?: unknown;
  additionalProperties?: boolean;
  properties?: Record<string, Schema>;
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));
const manifest = read("hooks/openclaw/openclaw.plugin.json");
const schema: Schema = manifest.configSchema;

const samples: Record<string, unknown> = {
  string: "demo",
  boolean: false,
  integer: 37_777,
  array: ["main"],
};

function sampleOf({ type, properties = {} }: Schema): unknown {
  if (type !== "object") return samples[type];
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sampleOf(field)]));
}

test("every setting of the schema is read, and no other one is allowed", () => {
  const everything = sampleOf(schema) as Record<string, unknown>;
  expect(schema.additionalProperties).toBe(false);
  expect(Object.keys(everything)).toEqual([
    "project",
    "syncMemoryFile",
    "syncMemoryFileExclude",
    "workerPort",
    "dataDir",
    "observationFeed",
  ]);
  expect(
    readPluginSettings({ ...everything, observationFeed: { enabled: true, channel: "chat", to: "1" } }),
  ).toEqual({
    project: "demo",
    injects: false,
    notInto: ["main"],
    workerPort: 37_777,
    dataDir: "demo",
    feed: { enabled: true, channel: "chat", to: "1" },
  });
});

test("the defaults of the schema are those without any setting", () => {
  const defaults = Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      field.default === undefined ? [] : [[name, field.default]],
    ),
  );
  expect(defaults).toEqual({ syncMemoryFile: true, syncMemoryFileExclude: [] });
  expect(readPluginSettings(defaults)).toEqual(readPluginSettings(undefined));
});

test.each([
  ["no object", "yes"],
  ["other types", { project: 1, syncMemoryFileExclude: 5, workerPort: "x", dataDir: [], observationFeed: 1 }],
  ["a port out of range", { workerPort: 70_000 }],
  ["blank texts", { project: " ", dataDir: "" }],
])("settings with %s count as not set", (_name, given) => {
  expect(readPluginSettings(given)).toEqual(readPluginSettings({}));
});

test("the package has the version of mem, and the plugin the id of its manifest", () => {
  const { version } = read("package.json");
  const own = read("hooks/openclaw/package.json");
  expect([own.version, manifest.version]).toEqual([version, version]);
  expect(own.openclaw.extensions).toEqual(["./index.js"]);
  expect(own.dependencies).toBeUndefined();
  expect([plugin.id, plugin.name]).toEqual([manifest.id, manifest.name]);
});
