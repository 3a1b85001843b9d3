// Describes shell commands: what ran, how it ended, and the lines of output worth keeping.

import { parseApplyPatch } from "../../../core/tools/apply-patch.ts";
import { commandFiles, operands } from "../../../core/tools/command-files.ts";
import { type CommandKind, gitVerb, isRoutineCommand } from "../../../core/tools/command-kind.ts";
import type { ErrorLines } from "../../../core/tools/error-lines.ts";
import { setOf } from "../../../core/tools/name-lists.ts";
import type { TestResults } from "../../../core/tools/test-results.ts";
import { commandIn } from "../../../core/tools/tool-kind.ts";
import { textField } from "../../../text/json-fields.ts";
import { clip, counted, firstLine, listed, oneLine } from "../../../text/plain-text.ts";
import { type CommandRun, readCommandRun } from "./command-run.ts";
import { changeConcepts, commitType, describeChanges } from "./edit-tools.ts";
import type { Finding, ToolUse } from "./finding.ts";
import { listedPaths, matchedFiles, shownLines } from "./look-tools.ts";

/** The part of a finding that depends on the kind of command. */
type CommandFinding = Omit<Finding, "provenance"> & Partial<Pick<Finding, "provenance">>;

export function describeCommand(use: ToolUse): Finding {
  const command = commandIn(use.input).text || use.inputText;
  const patchAt = command.indexOf("*** Begin Patch");
  const changes = patchAt < 0 || use.result.failed ? [] : parseApplyPatch(command.slice(patchAt));
  if (changes.length > 0) return describeChanges(use, changes);
  const run = readCommandRun(use, command);
  return findingOf(run, describeRun(run));
}

function describeRun(run: CommandRun): CommandFinding {
  if (run.tests !== null) return describeTests(run, run.tests);
  return run.failed ? describeFailure(run) : describers[run.kind](run);
}

function describeTests({ label, use, errors }: CommandRun, tests: TestResults): CommandFinding {
  const { passed, failed, skipped, failing, unit } = tests;
  const code = exitCodeOf(use);
  // Passing tests can still end in a failure: coverage, an unhandled error, a later command.
  const broken = failed > 0 || use.result.failed;
  // Some runners count failures only.
  const hasPassed = passed > 0 || failed === 0;
  const counts = hasPassed
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
      ...(broken ? errorFacts(errors) : []),
    ],
  };
}

function describeFailure(run: CommandRun): CommandFinding {
  const { use, label, errors, lines, missing } = run;
  const reason = missing ?? errors.first ?? lastLine(lines);
  const isFailed = use.result.failed || missing !== null;
  const how = use.result.interrupted ? "was interrupted" : isFailed ? "failed" : "reports an error";
  const code = exitCodeOf(use);
  const quoted = reason === "" || isFromOutside(run) ? "" : `: ${reason}`;
  return {
    title: `${label} ${how}${code === "" ? "" : ` with ${code}`}${quoted}`,
    concepts: missing !== null || trap.test(reason) ? ["problem-solution", "gotcha"] : ["problem-solution"],
    facts: [...errorFacts(errors), errors.first === null && reason !== "" ? `Output: ${reason}` : ""],
    narrative: [errors.location === null ? "" : `The place is ${errors.location}`],
  };
}

function describeCheck({ label, lines }: CommandRun): CommandFinding {
  const result = lines.findLast((line) => line.length < 300 && checkResult.test(line))?.trim() ?? "";
  return {
    title: `${label} passed${result === "" ? "" : `: ${result}`}`,
    concepts: ["what-changed"],
    facts: [result],
  };
}

function describeOther(run: CommandRun): CommandFinding {
  const { label, main, use, lines, segments } = run;
  const isStarted =
    segments.some(({ background }) => background) ||
    use.input.run_in_background === true ||
    textField(use.result.fields, "backgroundTaskId") !== "";
  if (isStarted) return { title: `Started ${label} in the background` };
  const spoken = lines.filter((line) => line.trim() !== "" && !tableHead.test(line));
  const first = isFromOutside(run) || main.program === "echo" ? "" : (spoken[0]?.trim() ?? "");
  return {
    title: `${main.text === "" ? label : `Ran ${label}`}${first === "" ? "" : `: ${first}`}`,
    facts: spoken.slice(-3),
  };
}

function lastLine(lines: readonly string[]): string {
  const line = lines.slice(-30).findLast((one) => /[A-Za-z]{2}/.test(one));
  return clip(line?.trim() ?? "", 300);
}

function errorFacts({ first, location, others }: ErrorLines): string[] {
  if (first === null) return [];
  const file = location?.slice(0, location.lastIndexOf(":")) ?? "";
  const place = location !== null && !first.includes(file) ? ` (${location})` : "";
  const rest = others.map((other) => `Error: ${other}`);
  return [`First error: ${clip(first, 290 - place.length)}${place}`, ...rest];
}

function exitCodeOf({ result }: ToolUse): string {
  return result.exitCode === null || result.exitCode === 0 ? "" : `exit code ${result.exitCode}`;
}

function findingOf(run: CommandRun, words: CommandFinding): Finding {
  const { use, command, segments, errors, label } = run;
  const files = commandFiles(segments);
  const purpose = textField(use.input, "description", "justification");
  const whole = oneLine(command, 400);
  const code = exitCodeOf(use);
  const isShown = whole === "" || whole === label;
  return {
    provenance: isFromOutside(run) ? "web" : "command",
    ...words,
    subtitle: purpose || (isShown ? (errors.location ?? "") : `$ ${whole}`),
    narrative: [
      isShown || purpose === "" ? "" : `Command: \`${whole}\``,
      ...(words.narrative ?? []),
      run.failed || words.facts?.some((fact) => fact !== "") ? "" : firstLine(use.result.text),
    ],
    facts: [code === "" ? "" : `Exit code ${use.result.exitCode} of ${label}`, ...(words.facts ?? [])],
    filesRead: [...files.read, ...(words.filesRead ?? [])],
    filesModified: run.failed ? [] : [...files.written, ...(words.filesModified ?? [])],
    routine: !run.failed && run.tests === null && isRoutineCommand(run.main, run.kind),
  };
}

const describers: Record<CommandKind, (run: CommandRun) => CommandFinding> = {
  commit: describeGit,
  git: describeGit,
  install: describeInstall,
  search: describeLook,
  read: describeLook,
  write: describeWrite,
  check: describeCheck,
  test: describeOther,
  network: describeOther,
  run: describeOther,
  trivial: describeOther,
};

const trap = /rejected|command not found|EADDRINUSE|conflict|ENOSPC|permission denied/i;
// The column names of docker, kubectl, ps and lsof.
const tableHead = /^[A-Z][A-Z0-9%/()]*(?:[\s-]+[A-Z0-9%/()]+)+\s*$/;
const checkResult =
  /\b(?:\d+ (?:problems?|errors?|warnings?|issues?|files?)\b|built in|compiled (?:successfully|in)|Finished|Build succeeded|BUILD SUCCESS|no issues|Checked \d+|All (?:checks|files|matched)|done in)/i;

/** git commands that change something: commits, pushes, and the first line of others. */
function describeGit({ lines, main, label, segments }: CommandRun): CommandFinding {
  const verb = gitVerb(main.words);
  const remote = lines.flatMap((line) => /^To (\S+)/.exec(line)?.[1] ?? [])[0];
  const pushed = lines.flatMap((line) => pushLine.exec(line)?.[1] ?? []);
  const pushes = pushed.map((ref) => `Pushed ${ref}${remote === undefined ? "" : ` to ${remote}`}`);
  // A commit is often one of several commands on a line.
  const [, branch = "", hash = "", message = messageIn(main.words)] =
    lines.map((line) => commitLine.exec(line)).find((match) => match !== null) ?? [];
  if (message !== "" && (hash !== "" || verb === "commit")) {
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

function describeInstall({ main, lines }: CommandRun): CommandFinding {
  const verbAt = main.words.findIndex((word) => installVerb.test(word));
  const packages = operands({ words: main.words.slice(Math.max(0, verbAt)) }, installOptions);
  const did = /^(?:remove|uninstall|rm)$/.test(main.words[verbAt] ?? "") ? "Removed" : "Installed";
  const short = lines.filter((line) => line.length < 240);
  return {
    title: `${did} ${listed(packages, 4) || "dependencies"} with ${main.program}`,
    obs_type: "change",
    concepts: ["what-changed"],
    facts: [
      packages.length === 0 ? "" : `${did} packages: ${listed(packages, 20)}`,
      short.findLast((line) => installReport.test(line)) ?? "",
      ...short.filter((line) => installWarning.test(line)).slice(0, 3),
    ],
  };
}

/** True when the output is text of others: a remote server, issues, pull requests. */
function isFromOutside({ kind, main }: CommandRun): boolean {
  return main.program === "gh" || (kind === "network" && !main.words.some((word) => loopback.test(word)));
}

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

const commitLine = /^\[([^\s\]]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (\S.*)$/;
const filesChanged = /^\s*\d+ files? changed/;
const createdFile = /^ create mode \d+ (.+)$/;
const pushLine = /(?:[0-9a-f]{7,}\.\.\.?[0-9a-f]{7,}|\[new (?:branch|tag)\])\s+(\S+) -> (\S+)/;
const installVerb = /^(?:i|install|add|ci|get|sync|require|remove|uninstall|rm|up|update|upgrade)$/;
const installOptions = setOf("--prefix -C --registry --index-url -r --cwd --features -w --workspace");
const installReport =
  /^(?:added \d|removed \d|changed \d|up to date|Successfully installed|Installed \d|Requirement already|.*packages? (?:are|is) |Done in|Bundle complete|\+ \S+@)/i;
const installWarning = /\bvulnerabilit|EBADENGINE|npm warn deprecated|incompatible|peer dep/i;
const loopback = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/i;
const writeVerbs = new Map([
  ["mv", "Moved"],
  ["cp", "Copied"],
  ["rm", "Deleted"],
  ["rmdir", "Deleted"],
  ["unlink", "Deleted"],
  ["touch", "Created"],
  ["sed", "Edited"],
]);
