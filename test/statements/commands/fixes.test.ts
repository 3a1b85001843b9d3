// A failed command and what made it pass later come out as one line; ordinary work does not.
import { expect, it, test } from "vitest";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, edit, ok, type Step, turnOf } from "../turn-support.ts";

const fixed: [what: string, steps: Step[], working: string][] = [
  [
    "a variable",
    [bad("mvn verify"), ok("JAVA_HOME=/opt/jdk-17 mvn verify")],
    "JAVA_HOME=/opt/jdk-17 mvn verify",
  ],
  ["an option", [bad("npm install"), ok("npm install --legacy-peer-deps")], "npm install --legacy-peer-deps"],
  ["a removed option", [bad("rsync -z a b"), ok("rsync a b")], "rsync a b"],
  [
    "another program file",
    [bad("pg_dump app"), ok("/opt/pg16/bin/pg_dump app")],
    "/opt/pg16/bin/pg_dump app",
  ],
  ["another version", [bad("python a.py"), ok("python3.11 a.py")], "python3.11 a.py"],
  [
    "a launcher",
    [bad("pytest -q"), ok("docker compose run --rm web pytest -q")],
    "docker compose run --rm web pytest -q",
  ],
  ["a directory", [bad("npm test"), ok("cd web && npm test")], "cd web && npm test"],
  [
    "an exported variable",
    [bad("go test ./..."), ok("export CGO_ENABLED=0; go test ./...")],
    "export CGO_ENABLED=0; go test ./...",
  ],
  [
    "a step before it",
    [bad("npm test"), ok("docker compose up -d db"), ok("npm test")],
    "docker compose up -d db`, then `npm test",
  ],
  [
    "a step on its line",
    [bad("make build"), ok("make proto && make build && ls out")],
    "make proto && make build",
  ],
  [
    "a removed cache",
    [bad("npm run build"), ok("rm -rf .cache"), ok("npm run build")],
    "rm -rf .cache`, then `npm run build",
  ],
  [
    "settings written by a command",
    [bad("docker compose up"), ok("echo P=1 >> .env"), ok("docker compose up")],
    "echo P=1 >> .env`, then `docker compose up",
  ],
  [
    "an argument that the error names",
    [bad("git push origin fix", "error: src refspec fix does not match any"), ok("git push origin fixes")],
    "git push origin fixes",
  ],
  [
    "another message",
    [bad('git commit -m "fix"', "subject must start with a ticket"), ok('git commit -m "AB-1: fix"')],
    'git commit -m "AB-1: fix"',
  ],
  [
    "another tool with the same arguments",
    [bad("pip install attrs", "error: externally-managed-environment"), ok("uv pip install attrs")],
    "uv pip install attrs",
  ],
  [
    "the third attempt",
    [bad("yarn test"), bad("CI=1 yarn test"), ok("yarn test --watchAll=false")],
    "yarn test --watchAll=false",
  ],
  [
    "a variable, after an edit",
    [bad("pytest -q"), edit("src/a.py"), ok("TZ=UTC pytest -q")],
    "TZ=UTC pytest -q",
  ],
  [
    "what passed in its own folder",
    [bad("npm test"), { ...ok("npm test"), cwd: "/web" }, ok("TZ=UTC npm test")],
    "TZ=UTC npm test",
  ],
  [
    "a piped run whose output tells the failure",
    [
      ok("npm test | tail", "Tests: 3 failed, 0 passed, 3 total"),
      ok("TZ=UTC npm test | tail", "Tests: 3 passed, 3 total"),
    ],
    "TZ=UTC npm test",
  ],
];

it.each(fixed)("%s that made a command pass is the fix", (_, steps, working) => {
  expect(fixesOf(turnOf(steps))).toMatchObject([{ working }]);
});

const ordinary: [what: string, steps: Step[]][] = [
  ["tests pass after the code was edited", [bad("npm test"), edit("src/a.ts"), ok("npm test")]],
  ["tests pass with another flag after an edit", [bad("pytest -q"), edit("a.py"), ok("pytest -q --cov")]],
  ["fewer tests pass", [bad("pytest"), ok("pytest tests/a.py")]],
  ["one test passes", [bad("cargo test", "1 failed"), ok("cargo test parses_dates")]],
  ["selected tests pass", [bad("pytest"), ok("pytest -k unit")]],
  ["other tests pass", [bad("pytest tests/a.py"), ok("pytest tests/b.py")]],
  [
    "another selection of tests passes after a step",
    [bad("pnpm test -- webhook"), ok("pnpm install"), ok("pnpm test -- checkout")],
  ],
  ["all tests pass later", [bad("pytest tests/a.py"), ok("pytest")]],
  ["the same command passes again", [bad("npm test"), ok("npm test")]],
  ["another query runs", [bad('psql app -c "select a"'), ok('psql app -c "select b"')]],
  ["another package is installed", [bad("npm install foo"), ok("npm install bar")]],
  ["a check is switched off", [bad('git commit -m "a"'), ok('git commit --no-verify -m "a"')]],
  ["the linter repairs", [bad("npx eslint ."), ok("npx eslint . --fix")]],
  ["a plan replaces the run", [bad("make deploy"), ok("make deploy --dry-run")]],
  ["it is started in the background", [bad("npm run dev"), ok("npm run dev -- --port 3 &")]],
  ["it runs in a debugger", [bad("node dist/a.js"), ok("NODE_DEBUG=net node --inspect dist/a.js")]],
  [
    "the user refused it",
    [bad("npm publish", "The user doesn't want to proceed"), ok("npm publish --tag next")],
  ],
  ["it passes in a loop", [bad("npx jest"), ok("for z in UTC CET; do TZ=$z npx jest | tail -3; done")]],
  ["a debugger starts it", [bad("./bin/app serve"), ok("gdb --batch ./bin/app serve")]],
  ["another program reads its file", [bad("pandoc a.md -o a.pdf"), ok("wc a.md")]],
  ["it passes in another folder", [bad("npm test"), { ...ok("CI=1 npm test"), cwd: "/app/web" }]],
  ["it passes in another project", [bad("npm test"), { ...ok("cd ../web && npm test"), project: "web" }]],
  ["the tests of another folder pass", [bad("npm test", "1 failed"), ok("cd web && npm test")]],
  ["nothing was found", [bad("grep x a", ""), bad("cat a", "No such file"), ok("cat b")]],
];

it.each(ordinary)("gives no fix when %s", (_, steps) => {
  expect(fixesOf(turnOf(steps))).toEqual([]);
});

test("names command, error and working command in one line, with the events", () => {
  const steps = [
    bad("mvn verify", "[ERROR] invalid target release: 21"),
    ok("ls /opt"),
    ok("JAVA_HOME=/opt/jdk-21 mvn verify"),
  ];
  expect(fixesOf(turnOf(steps))).toEqual([
    {
      families: ["mvn verify", "mvn"],
      failing: "mvn verify",
      error: "[ERROR] invalid target release: 21",
      working: "JAVA_HOME=/opt/jdk-21 mvn verify",
      events: [1, 3],
      text: "`mvn verify` failed with `[ERROR] invalid target release: 21`. What worked: `JAVA_HOME=/opt/jdk-21 mvn verify`",
    },
  ]);
});

test("keeps the working command whole in a line of 240 characters", () => {
  const working = `DATABASE_URL=postgres://localhost:5433/app_test ${"make check ".repeat(8)}VERBOSE=1`;
  const [fix] = fixesOf(turnOf([bad("make check", `Error: ${"no ".repeat(90)}`), ok(working)]));
  expect(fix?.text.length).toBeLessThanOrEqual(240);
  expect(fix?.text).toContain(`What worked: \`${working}\``);
});

const redacted: [what: string, failed: string, passed: string, isKept: boolean][] = [
  ["a variable that was missing", "npm run deploy", "API_TOKEN=[redacted:api-token] npm run deploy", true],
  ["an option that was missing", "vault read kv", "vault read --token [redacted:token] kv", true],
  ["an option with its value", "vault read kv", "vault read --token=[redacted:token] kv", true],
  ["an address without its password", "psql", "psql postgres://app:[redacted:password]@db:5433/app", true],
  [
    "another value of a variable",
    "API_TOKEN=[redacted:api-token] npm run deploy",
    "API_TOKEN=[redacted:aws-key] npm run deploy",
    false,
  ],
  ["an operand that is gone", "vault unseal a1", "vault unseal [redacted:key]", false],
];

it.each(redacted)("a fix by %s, with the secret redacted", (_, failed, passed, isKept) => {
  const fixes = fixesOf(turnOf([bad(failed, "Error: a1 was denied"), ok(passed)]));
  expect(fixes.map(({ working }) => working)).toEqual(isKept ? [passed] : []);
});

test("shortens a long working command by the words of the failed one", () => {
  const paths = Array.from({ length: 30 }, (_, at) => `tests/unit/part_${at}.py`).join(" ");
  const [fix] = fixesOf(turnOf([bad(`pytest ${paths}`), ok(`pytest ${paths} --forked --timeout=90`)]));
  expect(fix?.working).toMatch(/^pytest tests\/unit\/part_0\.py .* … --forked --timeout=90$/);
  expect(fix?.text.length).toBeLessThanOrEqual(300);
  const env = Array.from({ length: 30 }, (_, at) => `SETTING_${at}=value`).join(" ");
  expect(fixesOf(turnOf([bad("make"), ok(`${env} make`)]))).toEqual([]);
});

test("finds the fix of an earlier turn's failure once", () => {
  const failed = [bad("npm test")];
  const passed = [ok("TZ=UTC npm test")];
  expect(fixesOf(turnOf(passed, "Done.", failed))).toMatchObject([
    { working: "TZ=UTC npm test", events: [1, 2] },
  ]);
  expect(fixesOf(turnOf([ok("ls")], "Done.", [...failed, ...passed]))).toEqual([]);
});
