import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { createClientAddress } from "../../src/http/v1/client-address.ts";
import { loadServerSettings, serverTable } from "../../src/settings/server.ts";
import { settingsTable } from "../../src/settings/table.ts";
import { readYaml, type Yaml } from "../helpers/plain-yaml.ts";

const directory = fileURLToPath(new URL("../../templates/deploy/", import.meta.url));
const read = (name: string) => readFileSync(`${directory}${name}`, "utf8");

/** The value at a path of keys and places. */
function at(value: Yaml | undefined, ...path: (string | number)[]): Yaml | undefined {
  let found: Yaml | undefined = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Array.isArray(found) ? found[Number(step)] : found[String(step)];
  }
  return found;
}

test.each(readdirSync(directory))("%s names settings that there are", (name) => {
  const known = new Set([...Object.keys(serverTable), ...Object.keys(settingsTable)]);
  const named = [...read(name).matchAll(/\bMEM_[A-Z_]+/g)].map(([variable]) => variable);
  for (const variable of named) expect([...known], variable).toContain(variable);
});

describe("compose.yaml", () => {
  const [compose] = readYaml(read("compose.yaml"));

  test.each(["http", "generate"])("has two processes of the role %s at least", (role) => {
    const service = at(compose, "services", role);
    expect(Number(at(service, "deploy", "replicas"))).toBeGreaterThanOrEqual(2);
    expect(at(service, "command")).toContain(`"--role", "${role}"`);
    expect(at(service, "environment", "MEM_AUTH_MODE")).toBe("api-key");
    expect(at(service, "environment", "MEM_DATABASE_URL")).toMatch(/^\$\{MEM_DATABASE_URL:\?/);
  });

  test("has one address in front, whose configuration leads to the processes that answer", () => {
    expect(at(compose, "services", "address", "depends_on")).toBe("[http]");
    expect(at(compose, "services", "address", "volumes")).toContain("./nginx.conf:");
    // One without the other would charge all wrong keys to the proxy, or trust any client's X-Forwarded-For.
    expect(read("nginx.conf")).toContain("proxy_set_header X-Forwarded-For $remote_addr;");
    for (const role of ["http", "generate"])
      expect(at(compose, "services", role, "environment", "MEM_TRUSTED_PROXIES")).toBe("private");
    expect(read("nginx.conf")).toContain("http://http:37800");
  });
});

test("what nginx answers by itself has the form and the status of mem's errors", () => {
  const said = [...read("nginx.conf").matchAll(/return (\d+) '(.*)';/g)];
  expect(said.map(([, status]) => status)).toEqual(["413", "429", "503"]);
  for (const [, status, body = ""] of said) {
    const { error } = JSON.parse(body);
    expect(new MemError(error.code).status).toBe(Number(status));
  }
});

test("the process makes its data directory itself: root may own the volume", () => {
  const [, volume = ""] = /^VOLUME (\S+)$/m.exec(read("Dockerfile")) ?? [];
  expect(/MEM_DATA_DIR=(\S+)/.exec(read("Dockerfile"))?.[1]).toMatch(new RegExp(`^${volume}/\\w+$`));
  expect(read("kubernetes.yaml")).toContain(`mountPath: ${volume} }`);
});

describe("kubernetes.yaml", () => {
  const documents = readYaml(read("kubernetes.yaml"));
  const ofKind = (kind: string) => documents.filter((document) => at(document, "kind") === kind);
  const [config] = ofKind("ConfigMap");

  test.each(["http", "generate"])("has two replicas of the role %s at least", (role) => {
    const deployment = ofKind("Deployment").find((one) => at(one, "metadata", "name") === `mem-${role}`);
    expect(Number(at(deployment, "spec", "replicas"))).toBeGreaterThanOrEqual(2);
    const container = at(deployment, "spec", "template", "spec", "containers", 0);
    expect(at(container, "args")).toContain(`"--role", "${role}"`);
    expect(at(container, "ports")).toContain("containerPort: 37800");
    expect(at(container, "ports")).toContain(`containerPort: ${at(config, "data", "MEM_METRICS_PORT")}`);
  });

  test("has one Service over the replicas that answer", () => {
    expect(ofKind("Service").map((service) => at(service, "spec", "selector"))).toEqual([
      "{ app: mem, role: http }",
    ]);
  });

  test("has settings that the server accepts: keys required, metrics open to other hosts", () => {
    const data = at(config, "data");
    if (typeof data !== "object" || data === null || Array.isArray(data)) throw new Error("no data");
    const environment = Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, String(value)]),
    );
    const settings = loadServerSettings(environment);
    expect(settings.get("MEM_AUTH_MODE")).toBe("api-key");
    expect(() => createClientAddress(settings.get("MEM_TRUSTED_PROXIES"))).not.toThrow();
    expect(settings.get("MEM_TRUSTED_PROXIES")).not.toEqual([]);
    expect(settings.get("MEM_METRICS_PORT")).toBeGreaterThan(0);
    expect(settings.get("MEM_METRICS_HOST")).toBe("0.0.0.0");
  });
});

test.each([
  ["a: 1\n  b: 2", "line 2"],
  ["a:\n  - b\n c: 1", "line 3"],
  ["a: [1, 2", "brackets"],
  ["a: { b: [1 } ]", "brackets"],
  ["a: 1\na: 2", "twice"],
  ["a: *b", "named"],
  ['a: "b', "quotes"],
  ["\ta: 1", "tab"],
])("a template like %j would be refused", (text, said) => {
  expect(() => readYaml(text)).toThrow(said);
});
