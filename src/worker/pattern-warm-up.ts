// Compiles the patterns for rules and commands once a session sent its first message. V8 compiles a pattern at first use,
// 25 ms for all of them, which the first command of a session would wait for. A worker without a session has no use for them.
import { failOpenSync } from "../core/errors.ts";
import { familiesToLookUp } from "../statements/commands/families.ts";
import { parseRule } from "../statements/rules/prohibitions.ts";
import { forbiddenBy } from "../statements/rules/rule-match.ts";

interface PatternWarmUpDeps {
  firstMessage: Promise<void>;
  /** Resolves when no messages pour in. */
  quiet(): Promise<void>;
  /** Reads a rule and matches a command with it. */
  read?: (sample: Sample) => void;
}

interface Sample {
  rule: string;
  command: string;
}

export function createPatternWarmUp({ firstMessage, quiet, read = readSample }: PatternWarmUpDeps) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  // One by one, so no request waits more than a few milliseconds.
  async function readNext(at: number): Promise<void> {
    await quiet();
    const sample = samples[at];
    if (isStopped || sample === undefined) return;
    failOpenSync("compiling patterns", () => read(sample));
    begin(at + 1, betweenMs);
  }

  function begin(at: number, afterMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => void readNext(at), afterMs);
    timer.unref();
  }

  return {
    start: () => void firstMessage.then(() => begin(0, afterReplyMs)),
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

// After the reply to the first message.
const afterReplyMs = 250;
const betweenMs = 10;
// V8 compiles a pattern once for one-byte texts and once for wider ones.
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
