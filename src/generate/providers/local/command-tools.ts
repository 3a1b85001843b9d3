// Describes shell commands: what ran, how it ended, and the lines of output worth keeping.
import { parseApplyPatch } from "../../../core/tools/apply-patch.ts";
import { commandFiles } from "../../../core/tools/command-files.ts";
import {
  answersWithExitCode,
  type CommandKind,
  commandKind,
  gitVerb,
  isRoutineCommand,
  mainSegment,
} from "../../../core/tools/command-kind.ts";
import { parseCommandLine, type Segment } from "../../../core/tools/command-line.ts";
import { endsInError, errorLines } from "../../../core/tools/error-lines.ts";
import { missingPrograms } from "../../../core/tools/missing-program.ts";
import { type TestResults, testResults } from "../../../core/tools/test-results.ts";
import { commandIn } from "../../../core/tools/tool-kind.ts";
import { hasOwnStatus, startedInBackground, succeededIn } from "../../../statements/commands/passed.ts";
import { textField } from "../../../text/json-fields.ts";
import { clip, counted, firstLine, oneLine } from "../../../text/plain-text.ts";
import { changeConcepts, commitType, describeChanges } from "./edit-tools.ts";
import type { Finding, ToolUse } from "./finding.ts";
import { listedPaths, matchedFiles, shownLines } from "./look-tools.ts";

interface CommandRun {
  use: ToolUse;
  command: string;
  segments: readonly Segment[];
  /** The main command; empty when the use only reads the output of an earlier one. */
  main: Pick<Segment, "program" | "words" | "text">;
  kind: CommandKind;
  /** `main` as shown in a title. */
  label: string;
  lines: readonly string[];
  /** Its own exit status says that it passed. */
  passed: boolean;
  failed: boolean;
  /** What the shell said of a program that it did not find. */
  missing: string | undefined;
}

/** The part of a finding that depends on the kind of command. */
type CommandFinding = Omit<Finding, "provenance"> & Partial<Pick<Finding, "provenance">>;

export function describeCommand(use: ToolUse): Finding {
  const command = commandIn(use.input).text || use.inputText;
  const patchAt = command.indexOf("*** Begin Patch");
  const changes = patchAt < 0 || use.result.failed ? [] : parseApplyPatch(command.slice(patchAt));
  if (changes.length > 0) return describeChanges(use, changes);
  const run = readRun(use, command);
  return findingOf(run, describeRun(run));
}

function readRun(use: ToolUse, command: string): CommandRun {
  const { result } = use;
  const all = parseCommandLine(command);
  const absent = missingPrograms(result, all);
  // When `|| other` ran in place of a program that was not found, the other one is described.
  const segments = all.filter(({ program }, at) => {
    const next = all[at + 1];
    const isReplaced = next?.fallback === true && commandKind(next) !== "trivial";
    return !(isReplaced && absent.some((one) => one.program === program));
  });
  const missing = absent.find((one) => segments.some(({ program }) => program === one.program))?.line;
  const unknown = segments.length === all.length ? absent[0]?.line : undefined;
  const segment = mainSegment(segments);
  const main = segment ?? { program: "", words: [], text: "" };
  const kind = segment === undefined ? "trivial" : commandKind(segment);
  const isOwn = segment !== undefined && succeededIn(all, command).includes(segment);
  const saysNo = result.exitCode === 1 && answersWithExitCode(main);
  const failed =
    (missing ?? unknown) !== undefined || (!saysNo && (result.failed || reportsFailure(use, kind, isOwn)));
  const isLook = kind === "read" || kind === "search";
  // Matches are on stdout; files that could not be opened are not matches.
  const text = isLook && !failed && result.streams !== null ? result.streams.stdout : result.text;
  return {
    ...{ use, command, segments, main, kind, failed, missing: missing ?? unknown },
    label: labelOf(main, command),
    lines: text.split("\n"),
    passed: !failed && isOwn && hasOwnStatus(use.input, result),
  };
}

// Where the exit code is not the command's own. The stdout of a reading command is data, its stderr is its own.
function reportsFailure(
  { result: { exitCode, streams, text } }: ToolUse,
  kind: CommandKind,
  isOwn: boolean,
): boolean {
  if (exitCode !== null && isOwn) return false;
  if (kind === "check" && errorLines(text.split("\n")).first !== null) return true;
  if (kind !== "read" && kind !== "search") return endsInError(text.split("\n"));
  return streams !== null && streams.stdout === "" && endsInError(streams.stderr.split("\n"));
}

function labelOf({ program, words, text }: CommandRun["main"], command: string): string {
  if (loops.has(program) || text === "") return oneLine(command, 60) || "A running command";
  // The words of an inline script would be `python3 -`.
  const isScript = words.length === 1 || (words.length === 2 && words[1] === "-");
  if (isScript && command.includes("<<")) return `a ${program} script`;
  return oneLine(text, 60);
}

const loops = new Set(["for", "while", "until", "case", "function"]);

function describeRun(run: CommandRun): CommandFinding {
  // What git prints of a commit may look like counts of tests.
  const isOther = run.kind === "read" || run.kind === "search" || run.kind === "commit" || run.kind === "git";
  const tests = isOther ? null : testResults(run.lines);
  if (tests !== null) return describeTests(run, tests);
  return run.failed ? describeFailure(run) : describers[run.kind](run);
}

function describeTests({ label, use, lines }: CommandRun, tests: TestResults): CommandFinding {
  const { passed, failed, skipped, failing, unit } = tests;
  const code = exitCodeOf(use);
  // Passing tests can still end in a failure: coverage, an unhandled error, a later command.
  const broken = failed > 0 || use.result.failed;
  // Some runners count failures only.
  const counts =
    passed > 0 || failed === 0
      ? `${counted(passed, unit)} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
      : `${counted(failed, unit)} failed`;
  const lost = passed === 0 ? counted(failed, unit) : `${failed} of ${counted(passed + failed, unit)}`;
  const end = broken ? ` but ended with ${code || "an error"}` : "";
  const outcome =
    failed > 0
      ? `failed: ${lost}${code === "" ? "" : `, ${code}`}`
      : `passed${broken ? "" : ":"} ${counted(passed, unit)}${end}`;
  return {
    title: `${label} ${outcome}`,
    concepts: [broken ? "problem-solution" : "what-changed"],
    facts: [
      `Tests: ${counts}`,
      ...failing.map((name) => `Failing test: ${name}`),
      ...(broken ? errorFacts(lines) : []),
    ],
    routine: false,
  };
}

function describeFailure(run: CommandRun): CommandFinding {
  const { use, label, lines, missing } = run;
  const { first } = errorLines(lines);
  const reason = missing ?? first ?? clip(lines.findLast((one) => /\p{L}{2}/u.test(one))?.trim() ?? "", 300);
  const isFailed = use.result.failed || missing !== undefined;
  const how = use.result.interrupted ? "was interrupted" : isFailed ? "failed" : "reports an error";
  const code = exitCodeOf(use);
  const quoted = reason === "" || isFromOutside(run) ? "" : `: ${reason}`;
  return {
    title: `${label} ${how}${code === "" ? "" : ` with ${code}`}${quoted}`,
    concepts: trap.test(reason) ? ["problem-solution", "gotcha"] : ["problem-solution"],
    facts: [...errorFacts(lines), first === null && reason !== "" ? `Output: ${reason}` : ""],
    routine: false,
  };
}

const trap = /rejected|not found|EADDRINUSE|conflict|ENOSPC|permission denied/i;

function errorFacts(lines: readonly string[]): string[] {
  const { first, location, others } = errorLines(lines);
  if (first === null) return [];
  const file = location?.slice(0, location.lastIndexOf(":")) ?? "";
  const place = location !== null && !first.includes(file) ? ` (${location})` : "";
  return [`First error: ${clip(first, 290 - place.length)}${place}`, ...others.map((one) => `Error: ${one}`)];
}

function exitCodeOf({ result }: ToolUse): string {
  return result.exitCode === null || result.exitCode === 0 ? "" : `exit code ${result.exitCode}`;
}

function findingOf(run: CommandRun, words: CommandFinding): Finding {
  const { use, command, segments, label, kind, main } = run;
  const files = commandFiles(segments);
  const purpose = textField(use.input, "description", "justification");
  const whole = oneLine(command, 290);
  const isShown = whole === "" || whole === label;
  const code = exitCodeOf(use);
  return {
    provenance: isFromOutside(run) ? "web" : "command",
    ...words,
    subtitle: purpose || (isShown ? "" : `$ ${whole}`),
    facts: [
      code === "" ? "" : `Exit code ${use.result.exitCode} of ${label}`,
      isShown || purpose === "" ? "" : `Command: \`${whole}\``,
      ...(words.facts ?? []),
    ],
    filesRead: [...files.read, ...(words.filesRead ?? [])],
    filesModified: run.failed ? [] : [...files.written, ...(words.filesModified ?? [])],
    routine: words.routine ?? isRoutineCommand(main, kind),
  };
}

const describers: Record<CommandKind, (run: CommandRun) => CommandFinding> = {
  commit: describeGit,
  git: describeGit,
  install: describeOther,
  search: describeLook,
  read: describeLook,
  write: describeWrite,
  check: describeCheck,
  test: describeOther,
  network: describeOther,
  run: describeOther,
  trivial: describeOther,
};

function describeCheck(run: CommandRun): CommandFinding {
  const result = run.lines.findLast((line) => line.length < 300 && checkResult.test(line))?.trim() ?? "";
  const outcome = run.passed ? `${run.label} passed` : `Ran ${run.label}`;
  return {
    title: `${outcome}${result === "" ? "" : `: ${result}`}`,
    concepts: ["what-changed"],
    facts: [result],
  };
}

const checkResult =
  /\b(?:\d+ (?:problems?|errors?|warnings?|issues?|files?)\b|built in|compiled (?:successfully|in)|Finished|Build succeeded|BUILD SUCCESS|no issues|Checked \d+|All (?:checks|files|matched)|done in)/i;

function describeOther(run: CommandRun): CommandFinding {
  const { label, main, use, lines, segments } = run;
  if (segments.some(({ background }) => background) || startedInBackground(use.input, use.result))
    return { title: `Started ${label} in the background` };
  const spoken = lines.filter((line) => line.trim() !== "" && !tableHead.test(line));
  const first = isFromOutside(run) || main.program === "echo" ? "" : (spoken[0]?.trim() ?? "");
  return {
    title: `${main.text === "" ? label : `Ran ${label}`}${first === "" ? "" : `: ${first}`}`,
    facts: spoken.slice(-3),
    ...(run.kind === "install" ? { obs_type: "change", concepts: ["what-changed"] } : {}),
  };
}

// The column names of docker, kubectl, ps and lsof.
const tableHead = /^[A-Z][A-Z0-9%/()]*(?:[\s-]+[A-Z0-9%/()]+)+\s*$/;

/** git commands that change something: commits, pushes, and the first line of others. */
function describeGit({ lines, main, label, segments }: CommandRun): CommandFinding {
  const remote = lines.flatMap((line) => /^To (\S+)/.exec(line)?.[1] ?? [])[0];
  const pushed = lines.flatMap((line) => pushLine.exec(line)?.[1] ?? []);
  const pushes = pushed.map((ref) => `Pushed ${ref}${remote === undefined ? "" : ` to ${remote}`}`);
  // A commit is often one of several commands on a line.
  const [, branch = "", hash = "", message = messageIn(main.words)] =
    lines.map((line) => commitLine.exec(line)).find((match) => match !== null) ?? [];
  if (message !== "" && (hash !== "" || gitVerb(main.words) === "commit")) {
    const obs_type = commitType(message);
    const also = segments.some(({ program, words }) => program === "git" && gitVerb(words) === "push");
    return {
      title: `Committed${also ? " and pushed" : ""}: ${message}`,
      obs_type,
      concepts: changeConcepts(obs_type),
      facts: [
        hash === "" ? `Commit message: ${message}` : `Commit ${hash} on ${branch}: ${message}`,
        lines.find((line) => filesChanged.test(line)) ?? "",
        ...pushes,
      ],
      filesModified: lines.flatMap((line) => createdFile.exec(line)?.[1] ?? []),
    };
  }
  const first = firstLine(lines.join("\n"));
  return {
    title: pushes[0] ?? `Ran ${label}${first === "" ? "" : `: ${first}`}`,
    obs_type: "change",
    concepts: ["what-changed"],
    facts: pushes.length > 0 ? pushes : lines.slice(0, 2),
  };
}

// `git commit -q` prints nothing, so read the message from the command.
function messageIn(words: readonly string[]): string {
  const at = words.findIndex((word) => /^-\w*m$|^--message$/.test(word));
  const lines = at < 0 ? [] : (words[at + 1] ?? "").split("\n");
  return lines.find((line) => line.trim() !== "" && !line.startsWith("$(cat")) ?? "";
}

const commitLine = /^\[([^\s\]]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (\S.*)$/;
const filesChanged = /^\s*\d+ files? changed/;
const createdFile = /^ create mode \d+ (.+)$/;
const pushLine = /(?:[0-9a-f]{7,}\.\.\.?[0-9a-f]{7,}|\[new (?:branch|tag)\])\s+(\S+) -> (\S+)/;

/** True when the output is text of others: a remote server, issues, pull requests. */
function isFromOutside({ kind, main }: CommandRun): boolean {
  return main.program === "gh" || (kind === "network" && !main.words.some((word) => loopback.test(word)));
}

const loopback = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/i;

/** `cat`, `grep`, `ls`, `git status`: keeps the files and the first lines. */
function describeLook({ use, main, label, lines, segments, kind }: CommandRun): CommandFinding {
  const read = commandFiles(segments).read;
  const spoken = lines.filter((line) => line.trim() !== "");
  const isRead = kind === "read" && read.length > 0;
  return {
    title: isRead ? `Read ${listedPaths(read, use.cwd)}` : `Looked around: \`${label}\``,
    facts: spoken.length === 0 ? ["nothing found"] : shownLines(spoken, use.cwd),
    filesRead: kind === "search" ? matchedFiles(lines) : [],
    ...(main.program === "git" ? {} : { provenance: "file" as const }),
  };
}

/** `mv`, `rm`, `cp`, `mkdir`, `sed -i`, `cat > file`. */
function describeWrite({ use, main, label, segments }: CommandRun): CommandFinding {
  const { read, written } = commandFiles(segments);
  const verb = writeVerbs.get(main.program) ?? "Wrote";
  const files = listedPaths(main.program === "cp" ? [...read, ...written] : written, use.cwd);
  return {
    title: files === "" ? `Ran ${label}` : `${verb} ${files}`,
    obs_type: main.program === "mv" ? "refactor" : "change",
    concepts: ["what-changed"],
  };
}

const writeVerbs = new Map([
  ["mv", "Moved"],
  ["cp", "Copied"],
  ...["rm", "rmdir", "unlink"].map((name): [string, string] => [name, "Deleted"]),
  ["touch", "Created"],
  ["sed", "Edited"],
]);
