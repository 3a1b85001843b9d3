// A known fix helps a command on the same things, or one that fails in the same way.
import { describe, expect, it, test } from "vitest";
import { familiesToLookUp } from "../../../src/statements/commands/families.ts";
import { type Fix, fixesOf } from "../../../src/statements/commands/fixes.ts";
import { helpFor, isSameError, replacesFix } from "../../../src/statements/commands/known-fix.ts";
import { bad, ok, type Step, turnOf } from "../turn-support.ts";

const helps = (text: string, attempt: Parameters<typeof helpFor>[0]) => helpFor(attempt)(text);

/** The one fix of these steps. */
function known(...steps: Step[]): Fix {
  const [fix, ...others] = fixesOf(turnOf(steps));
  if (fix === undefined || others.length > 0) throw new Error(`${others.length} more fixes`);
  return fix;
}

/** As before an action: found by the command family, and of help for the command. */
const isShown = ({ families, text }: Fix, command: string, output?: string): boolean =>
  familiesToLookUp(command).some((family) => families.includes(family)) && helps(text, { command, output });

const failedTest = (test: string, error: string) =>
  `${error}\nTests: 1 failed, 4 passed, 5 total\nFAIL ${test}`;

const webhook = known(
  bad(
    "pnpm test -- webhook",
    failedTest("src/webhook.test.ts", "Error: connect ECONNREFUSED 127.0.0.1:6379"),
  ),
  ok("docker compose up -d redis"),
  ok("pnpm test -- webhook"),
);

test("tells that it failed in a test", () => {
  expect(webhook.text).toContain("`pnpm test -- webhook` failed in a test with `Error: connect ECONNREFUSED");
});

describe("a failed test helps", () => {
  it.each([
    "pnpm test -- webhook",
    "pnpm test --reporter=dot -- webhook",
    "pnpm test",
    "CI=1 pnpm test webhook",
  ])("%s before it runs", (command) => {
    expect(isShown(webhook, command)).toBe(true);
  });

  it("another test that fails in the same way, and no other", () => {
    const command = "pnpm test -- checkout";
    expect(isShown(webhook, command)).toBe(false);
    expect(isShown(webhook, command, "  Error: connect ECONNREFUSED 127.0.0.1:6379")).toBe(true);
    expect(isShown(webhook, command, "Error: connect ECONNREFUSED 127.0.0.1:5432")).toBe(false);
    expect(isShown(webhook, command, "TypeError: cart.total is not a function")).toBe(false);
  });
});

const startUp: [what: string, steps: Step[], helped: string[], not: string[]][] = [
  [
    "a setting that was missing before any test ran",
    [
      bad(
        "pytest billing -q",
        "ImproperlyConfigured: Requested setting CACHES, but settings are not configured.",
      ),
      ok("DJANGO_SETTINGS_MODULE=shop.settings pytest billing -q"),
    ],
    ["pytest billing", "pytest coupons -q", "pytest"],
    ["go test ./billing"],
  ],
  [
    "an error in a file of the target",
    [
      bad("npx eslint src/billing", "src/billing/tax.ts\n  3:1  error  Parsing error: unexpected token"),
      ok("npx eslint --parser @typescript-eslint/parser src/billing"),
    ],
    ["npx eslint src/billing/tax.ts", "npx eslint ."],
    [],
  ],
  [
    "a package that does not compile",
    [
      bad("cargo test -p lexer", "error: could not compile `lexer` (lib test)"),
      ok("cargo test -p lexer --features unicode"),
    ],
    ["cargo test -p lexer tokens"],
    ["cargo test -p server"],
  ],
  [
    "a project of the compiler",
    [
      bad("npx tsc -p tsconfig.test.json", "error TS5083: Cannot read file 'tsconfig.test.json'."),
      ok("npm run gen:configs"),
      ok("npx tsc -p tsconfig.test.json"),
    ],
    ["npx tsc -p tsconfig.test.json --noEmit", "npx tsc"],
    ["npx tsc -p tsconfig.build.json"],
  ],
  [
    "a compiler of another version",
    [
      bad("go test ./queue", "go: go.mod requires go >= 1.24 (running go 1.21.3)"),
      ok("GOTOOLCHAIN=auto go test ./queue"),
    ],
    ["go test ./queue/...", "go test ./billing", "go build ./..."],
    [],
  ],
  [
    "a branch that the remote rejected",
    [
      bad("git push origin main", " ! [rejected]        main -> main (fetch first)"),
      ok("git pull --rebase origin main"),
      ok("git push origin main"),
    ],
    ["git push origin main", "git push"],
    ["git push origin feature/login"],
  ],
  [
    "a target of make",
    [bad("make gen", "protoc: command not found"), ok("PATH=/opt/protoc/bin:$PATH make gen")],
    ["make gen", "make -j 4 gen"],
    ["make build"],
  ],
  [
    "another server",
    [
      bad("pg_dump staging", "pg_dump: error: aborting because of server version mismatch"),
      ok("/opt/pg16/bin/pg_dump staging"),
    ],
    ["pg_dump staging", "pg_dump reporting"],
    [],
  ],
];

describe.each(startUp)("%s", (_, steps, helped, not) => {
  const fix = known(...steps);
  it.each(helped.map((command) => [command]))("helps %s", (command) => {
    expect(isShown(fix, command)).toBe(true);
  });
  if (not.length > 0)
    it.each(not.map((command) => [command]))("does not help %s", (command) => {
      expect(isShown(fix, command)).toBe(false);
    });
});

test("says nothing before a command that is the fix already", () => {
  const fix = known(bad("docker compose up -d"), ok("docker compose --env-file .env.local up -d"));
  expect(isShown(fix, "docker compose up -d db")).toBe(true);
  expect(isShown(fix, "docker compose --env-file .env.local up -d db")).toBe(false);
});

test("a text that the user wrote helps its whole family", () => {
  expect(helps("Start redis first.", { command: "pnpm test -- checkout" })).toBe(true);
});

test("a command that was stored shortened has its targets from what worked", () => {
  const paths = Array.from({ length: 9 }, (_, at) => `tests/unit/part_${at}.py`).join(" ");
  const { text } = known(bad(`pytest ${paths}`, failedTest("x", "Error: no db")), ok(`DB=1 pytest ${paths}`));
  expect(text).toContain("…` failed");
  expect(helps(text, { command: "pytest tests/unit/part_8.py" })).toBe(true);
  expect(helps(text, { command: "pytest tests/unit/other.py" })).toBe(false);
});

describe("a newer fix", () => {
  const fix = (targets: string, error: string) =>
    `\`pnpm test${targets}\` failed with \`${error}\`. What worked: \`x\``;
  it.each([
    [" -- webhook", "Error: no redis", " -- webhook", "Error: another", true],
    [" -- webhook", "Error: no redis found", " -- checkout", "Error: no redis found", true],
    [" -- webhook", "Error: no redis found", " -- checkout", "Error: no postgres found", false],
    ["", "Error: no redis found", " -- checkout", "Error: no postgres found", true],
  ])("of pnpm test%s (%s) replaces one of pnpm test%s (%s): %s", (by, now, of, before, replaces) => {
    expect(replacesFix(fix(by, now), fix(of, before))).toBe(replaces);
  });
});

describe("the error is", () => {
  it.each([
    [
      "Error: connect ECONNREFUSED 127.0.0.1:6379",
      "x\n   Error: connect ECONNREFUSED 127.0.0.1:6379\n  at a",
    ],
    ["src/db.ts:12:4: error: no pool", "src/db.ts:31:9: error: no pool"],
    ["Error: DATABASE_URL is not set", "KeyError: 'DATABASE_URL'"],
    ["ImportError while loading conftest '/app/conftest.py'.", "E   /app/conftest.py:3: RuntimeError"],
    [
      "Error: the certificate of registry.exam…",
      "Error: the certificate of registry.example.invalid has expired",
    ],
  ])("the same: %s in %j", (error, output) => {
    expect(isSameError(error, output)).toBe(true);
  });

  it.each([
    ["Error: connect ECONNREFUSED 127.0.0.1:6379", "Error: connect ECONNREFUSED 127.0.0.1:5432"],
    ["TypeError: Cannot read properties of undefined (reading 'total')", "TypeError: x is not a function"],
    ["error TS2304: Cannot find name 'Cart'.", "error TS2304: Cannot find name 'Order'."],
    ["AssertionError: expected 3 to be 4", "AssertionError: expected 'a' to be 'b'"],
    ["", "Error: it broke"],
    ["Error", "Error: it broke"],
  ])("another: %s in %j", (error, output) => {
    expect(isSameError(error, output)).toBe(false);
  });
});

test("one reading of a long output serves many fixes", () => {
  const output = `${"a line of the log\n".repeat(5_000)}Error: no redis found at src/queue.ts:14:3\n`;
  const helped = helpFor({ command: "pnpm test -- cart", output });
  const fix = (error: string) => `\`pnpm test -- webhook\` failed with \`${error}\`. What worked: \`x\``;
  const others = Array.from({ length: 30 }, (_, at) => fix(`Error: no database of part ${at}`));
  expect(others.filter(helped)).toEqual([]);
  expect(helped(fix("Error: no redis found at src/queue.ts:20:1"))).toBe(true);
});
