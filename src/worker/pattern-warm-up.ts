// Compiles the patterns that rules and commands are read with, while the worker has nothing else to do. V8 compiles a
// pattern when it is first used, 25 ms for all of them: the first command of a session would wait for it.
import { failOpenSync } from "../core/errors.ts";
import { familiesToLookUp } from "../statements/commands/families.ts";
import { parseRule } from "../statements/rules/prohibitions.ts";
import { forbiddenBy } from "../statements/rules/rule-match.ts";

export interface PatternWarmUp {
  start(): void;
  stop(): void;
}

interface PatternWarmUpDeps {
  /** Resolves when no messages pour in. */
  quiet(): Promise<void>;
  /** Reads a rule and matches a command with it. */
  read?: (sample: Sample) => void;
}

interface Sample {
  rule: string;
  command: string;
}

export function createPatternWarmUp({ quiet, read = readSample }: PatternWarmUpDeps): PatternWarmUp {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  // One by one, so that no request waits for more than a few milliseconds.
  async function readNext(at: number): Promise<void> {
    await quiet();
    const sample = samples[at];
    if (isStopped || sample === undefined) return;
    failOpenSync("compiling patterns", () => read(sample));
    begin(at + 1, betweenMs);
  }

  function begin(at: number, afterMs: number): void {
    timer = setTimeout(() => void readNext(at), afterMs);
    timer.unref();
  }

  return {
    start: () => begin(0, afterStartMs),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function readSample({ rule, command }: Sample): void {
  familiesToLookUp(command);
  forbiddenBy({ command, path: "src/a.ts" })(parseRule(rule));
}

// After the answer to whatever started the worker.
const afterStartMs = 250;
const betweenMs = 10;
// V8 compiles a pattern for texts of one byte for each character and again for wider ones.
const samples: readonly Sample[] = [
  { rule: "", command: "cd web && A=1 npm run build 2>&1 | tail -5; psql -c 'select 1'" },
  { rule: "Use pnpm here, not npm.", command: "npm install left-pad" },
  {
    rule: "Never push to main or edit files in gen/, and don't run `git push --force`: use a branch instead.",
    command: "git add -A && git push --force origin main",
  },
  { rule: "We don't add new dependencies.", command: "npm install left-pad" },
  { rule: "Никогда не пушь в main.", command: "git push origin main" },
];
