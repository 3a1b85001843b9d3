// What a command runs on, and when two commands run on the same thing.
import { describe, expect, it } from "vitest";
import { haveSameTarget, targetsOf } from "../../../src/statements/commands/known-fix.ts";
import { partsOf } from "../../../src/statements/commands/runs.ts";

const targetsIn = (command: string): string[] => partsOf(command).flatMap(targetsOf);

it.each([
  ["pnpm test", []],
  ["pnpm test -- webhook", ["webhook"]],
  ["pnpm --filter api test -- webhook", ["api", "webhook"]],
  ["npm run lint -- src/a.ts", ["src/a.ts"]],
  ["npm run test:int -w services/ledger", ["services/ledger"]],
  ["pytest -q -x tests/geo", ["tests/geo"]],
  ["pytest -n 4 --tb=short -k 'retry and not slow'", ["retry and not slow"]],
  ["DATABASE_URL=x uv run pytest tests/a.py::test_b", ["tests/a.py::test_b"]],
  ["go test ./...", []],
  ["go test -count=1 -run TestRetry ./queue/...", ["TestRetry", "queue"]],
  ["cargo test -p store parses_dates -- --nocapture", ["store", "parses_dates"]],
  [
    "npx jest --maxWorkers 2 -t 'signs the body' src/webhook.test.ts",
    ["signs the body", "src/webhook.test.ts"],
  ],
  ["npx vitest run --reporter dot test/a.test.ts", ["test/a.test.ts"]],
  ["npx tsc -p tsconfig.build.json --noEmit", ["tsconfig.build.json"]],
  ["npx eslint . --max-warnings 0", []],
  ["make -j 8 gen", []],
  ["docker compose up -d db", ["db"]],
  ["Rscript karten.R 2026-04", ["2026-04"]],
  ["git push --force-with-lease origin main", ["origin", "main"]],
])("%s runs on %j", (command, targets) => {
  expect(targetsIn(command)).toEqual(targets);
});

describe("two commands run on", () => {
  const compare = (one: string, other: string) => haveSameTarget(targetsIn(one), targetsIn(other));

  it.each([
    ["pnpm test -- webhook", "pnpm test -- webhook --reporter=verbose"],
    ["pnpm test -- webhook", "pnpm test"],
    ["npx jest src/webhook.test.ts -t 'signs'", "npx jest -t 'signs' src/webhook.test.ts"],
    ["npx jest -t webhook", "npx jest webhook"],
    ["pytest tests/geo", "pytest tests/geo/test_warp.py"],
    ["pytest tests/test_retry.py", "pytest tests/test_retry.py::test_gives_up"],
    ["pytest tests/a.py", "pytest tests/a.py -k backoff"],
    ["go test ./queue", "go test ./queue/..."],
    ["go test -run TestWebhookRetry ./queue", "go test ./queue"],
    ["cargo test", "cargo test lexer"],
    ["npx eslint src", "npx eslint src/a.ts"],
    ["pip install uvicorn", "pip install 'uvicorn[standard]'"],
  ])("the same thing: %s and %s", (one, other) => {
    expect(compare(one, other)).toBe(true);
    expect(compare(other, one)).toBe(true);
  });

  it.each([
    ["pnpm test -- webhook", "pnpm test -- checkout"],
    ["pnpm --filter api test", "pnpm --filter web test"],
    ["pnpm --filter api test -- webhook", "pnpm --filter api test -- checkout"],
    ["npm test -w services/ledger", "npm test -w services/gateway"],
    ["pytest tests/a.py", "pytest tests/b.py"],
    ["pytest tests/a.py -k backoff", "pytest tests/a.py -k jitter"],
    ["pytest billing -q", "pytest coupons -q"],
    ["go test ./queue", "go test ./billing"],
    ["go test -run TestRetry ./queue", "go test -run TestDrain ./queue"],
    ["cargo test lexer", "cargo test parser"],
    ["cargo build -p store", "cargo build -p server"],
    ["npx jest src/webhook.test.ts", "npx jest src/checkout.test.ts"],
    ["npx vitest run --reporter dot webhook", "npx vitest run --reporter dot checkout"],
    ["npx tsc -p tsconfig.build.json", "npx tsc -p tsconfig.test.json"],
    ["npx eslint src/a.ts", "npx eslint src/b.ts"],
    ["npm install left-pad", "npm install right-pad"],
    ["docker compose up -d db", "docker compose up -d web"],
    ["git push origin main", "git push origin feature/login"],
  ])("different things: %s and %s", (one, other) => {
    expect(compare(one, other)).toBe(false);
    expect(compare(other, one)).toBe(false);
  });
});
