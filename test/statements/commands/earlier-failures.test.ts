// A failure that an earlier session left is fixed by the surroundings in which the command passes now.
import { expect, it } from "vitest";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, ok, type Step, turnOf } from "../turn-support.ts";

const rows: [what: string, failed: Step, steps: Step[], working: string | null][] = [
  [
    "a variable",
    bad("bundle exec rake assets"),
    [ok("NODE_OPTIONS=--no-warnings bundle exec rake assets")],
    "NODE_OPTIONS=--no-warnings bundle exec rake assets",
  ],
  [
    "a loaded module",
    bad("mpirun ./solver.x"),
    [ok("module load openmpi/4 && mpirun ./solver.x")],
    "module load openmpi/4 && mpirun ./solver.x",
  ],
  [
    "an activated environment",
    bad("dbt run"),
    [ok(". .venv/bin/activate && dbt run")],
    ". .venv/bin/activate && dbt run",
  ],
  [
    "a launcher",
    bad("alembic upgrade head"),
    [ok("docker compose exec api alembic upgrade head")],
    "docker compose exec api alembic upgrade head",
  ],
  ["the code alone", bad("make check"), [ok("make check")], null],
  ["an option", bad("pytest -q"), [ok("pytest --cov")], null],
  ["a build before it", bad("npm run deploy"), [ok("npm run build && npm run deploy")], null],
  ["other work in between", bad("cargo build"), [ok("cargo fmt"), ok("cargo build")], null],
];

it.each(rows)("%s", (_, failed, steps, working) => {
  const message = { type: "observation" as const, cwd: "/app", ...failed };
  const turn = { ...turnOf(steps), failures: [{ id: 90, isOfTurn: false, message }] };
  const expected = working === null ? [] : [{ working, events: [1, 90] }];
  expect(fixesOf(turn)).toMatchObject(expected);
  expect(fixesOf(turn)).toHaveLength(expected.length);
});

it("quotes a failure of the session itself before one of an earlier session", () => {
  const message = { type: "observation" as const, cwd: "/app", ...bad("mix test", "old error") };
  const turn = turnOf([bad("mix test", "new error"), ok("MIX_ENV=ci mix test")]);
  expect(fixesOf({ ...turn, failures: [{ id: 90, isOfTurn: false, message }] })).toMatchObject([
    { error: "new error", events: [1, 2] },
  ]);
});
