// A segment of a command line keeps what was typed for it: variables, wrappers, redirections.
import { expect, it } from "vitest";
import { parseCommandLine } from "../../../src/core/tools/command-line.ts";

const sources: [command: string, sources: string[]][] = [
  ["JAVA_HOME=/opt/jdk ./mvnw verify", ["JAVA_HOME=/opt/jdk ./mvnw verify"]],
  ["  sudo timeout 60 npm test 2>&1 | tail -5", ["sudo timeout 60 npm test 2>&1", "tail -5"]],
  ["pg_dump -Fc a > a.dump && ls -lh a.dump", ["pg_dump -Fc a > a.dump", "ls -lh a.dump"]],
  ["python - <<'EOF'\nprint(1)\nEOF\necho 'a b' # why", ["python -", "echo 'a b'"]],
  ["bash -c 'cd x && ls'", ["cd x", "ls"]],
];

it.each(sources)("%j keeps its segments as typed", (command, expected) => {
  expect(parseCommandLine(command).map(({ source }) => source)).toEqual(expected);
});

const environments: [command: string, environment: string[]][] = [
  ["A=1 B=2 npm test", ["A=1", "B=2"]],
  ["env A=1 npm test", ["A=1"]],
  ["export A=1 && B=2 npm test", ["A=1", "B=2"]],
  ["A=1 bash -c 'B=2 npm test'", ["A=1", "B=2"]],
  ["npm test", []],
];

it.each(environments)("%j sets the variables of its last program", (command, environment) => {
  expect(parseCommandLine(command).at(-1)?.environment).toEqual(environment);
});

it("knows the position of a segment in the line", () => {
  const line = "cd web && npm test > out.log; ls";
  const segment = parseCommandLine(line)[1];
  expect(line.slice(0, segment?.end)).toBe("cd web && npm test > out.log");
});

const programs: [command: string, program: string][] = [
  ["sudo -u postgres -H psql", "psql"],
  ["sudo -- make", "make"],
  ["doas -u www rake", "rake"],
  ["timeout -k 5 --signal=INT 1.5m make", "make"],
  ["nice -n 10 ionice -c2 -n7 make", "make"],
  ["env -i -u HOME A=1 make", "make"],
  ["time -p make", "make"],
  ["exec -a name make", "make"],
  ["su - app -c 'A=1 make'", "make"],
];

it.each(programs)("%j runs %s", (command, program) => {
  expect(parseCommandLine(command).map((segment) => segment.program)).toEqual([program]);
});
