import { expect, test } from "vitest";
import { unknownSettings } from "../../src/settings/server.ts";

test.each([
  ["MEM_RATE_LIMIT", "MEM_RATE_LIMIT_PER_MIN"],
  ["MEM_RATELIMIT_PER_MINUTE", "MEM_RATE_LIMIT_PER_MIN"],
  ["MEM_MONTHLY_REQUESTS_CAP", "MEM_MONTHLY_REQUEST_CAP"],
  ["MEM_DATABASE", "MEM_DATABASE_URL"],
  ["MEM_AUTHMODE", "MEM_AUTH_MODE"],
])("reports a misspelt %s with the correct name", (name, meant) => {
  expect(unknownSettings({ [name]: "5" })).toEqual([
    `${name} has no effect: there is no such setting. Is ${meant} meant?`,
  ]);
});

test("reports a name like no other without a guess", () => {
  expect(unknownSettings({ MEM_QQQQ: "1" })).toEqual(["MEM_QQQQ has no effect: there is no such setting."]);
});

test("ignores settings, empty values and variables of other parts and of Kubernetes", () => {
  const names = [
    ...["MEM_RATE_LIMIT_PER_MIN", "MEM_PROVIDER", "MEM_DATA_DIR", "MEM_API_KEY", "MEM_HOOK_CA_CERTS", "HOME"],
    ...["MEM_SERVICE_HOST", "MEM_SERVICE_PORT", "MEM_SERVICE_PORT_HTTP", "MEM_PORT", "MEM_PORT_37800_TCP"],
    ...["MEM_HTTP_PORT_37800_TCP_ADDR", "MEM_SERVER_SERVICE_HOST"],
  ];
  expect(unknownSettings({ ...Object.fromEntries(names.map((name) => [name, "x"])), MEM_X: "" })).toEqual([]);
});
