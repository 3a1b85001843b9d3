// What commands of single families did: git, installs, looks and writes in the shell.
import { gitVerb } from "../../../core/tools/command-kind.ts";
import { firstLine, listed } from "../../../text/plain-text.ts";
import { changeConcepts, commitType } from "./change-type.ts";
import { commandFiles, operands } from "./command-files.ts";
import type { CommandRun } from "./command-run.ts";
import type { CommandWords } from "./command-tools.ts";
import { listedPaths, matchedFiles, shownLines } from "./look-tools.ts";

/** git commands that change something: commits, conflicts, pushes, and how others begin to answer. */
export function gitWords({ lines, main, label, segments }: CommandRun): CommandWords {
  const verb = gitVerb(main.words);
  const remote = lines.flatMap((line) => /^To (\S+)/.exec(line)?.[1] ?? [])[0];
  const pushed = lines.flatMap((line) => pushLine.exec(line)?.[1] ?? []);
  const pushes = pushed.map((ref) => `Pushed ${ref}${remote === undefined ? "" : ` to ${remote}`}`);
  // A commit is often one of several commands; what it printed stands among their lines.
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

// `git commit -q` prints nothing; the message stands in the command.
function messageIn(words: readonly string[]): string {
  const at = words.findIndex((word) => /^-\w*m$|^--message$/.test(word));
  const lines = at < 0 ? [] : (words[at + 1] ?? "").split("\n");
  return lines.find((line) => line.trim() !== "" && !line.startsWith("$(cat")) ?? "";
}

/** Package installs: what was added or removed, and what the package manager reported. */
export function installWords({ main, lines }: CommandRun): CommandWords {
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

/** What it printed was said by others: the answer of a server outside, issues and pull requests. */
export function isFromOutside({ kind, main }: CommandRun): boolean {
  return main.program === "gh" || (kind === "network" && !main.words.some((word) => loopback.test(word)));
}

/** `cat`, `grep`, `ls`, `git status`: routine, so only the files and the first lines are kept. */
export function lookWords({ use, main, label, lines, segments, kind }: CommandRun): CommandWords {
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
export function writeWords({ use, main, label, segments }: CommandRun): CommandWords {
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
const installOptions = new Set(
  "--prefix -C --registry --index-url -r --cwd --features -w --workspace".split(" "),
);
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
