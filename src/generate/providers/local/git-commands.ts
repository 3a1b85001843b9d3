// git: commits, branches and what the looks at a repository showed.

import { gitVerb } from "../../../domain/command-kind.ts";
import { clip, counted, firstLine, listed } from "../../../domain/plain-text.ts";
import { changeConcepts, commitType } from "./change-type.ts";
import { operands } from "./command-files.ts";
import type { CommandRun, CommandWords } from "./command-run.ts";

/** What a git command did. */
export function describeGit(run: CommandRun): CommandWords {
  const verb = gitVerb(run.main.words);
  // A commit is often one of several commands; what it printed stands among their lines.
  const committed = run.lines.map((line) => commitLine.exec(line)).find((match) => match !== null);
  if (committed !== null && committed !== undefined) return commitWords(run, committed);
  const conflicts = run.lines.filter((line) => line.startsWith("CONFLICT ("));
  if (conflicts.length > 0) return conflictWords(verb, conflicts);
  if (verb === "commit") return quietCommit(run);
  const words = verbs.get(verb)?.(run, operandsAfterVerb(run, verb));
  return (
    words ?? {
      title: `Ran ${run.label}${after(firstLine(run.use.result.text))}`,
      facts: run.lines.slice(0, 2),
    }
  );
}

function commitWords(
  { lines, segments }: CommandRun,
  [, branch = "", hash = "", message = ""]: RegExpExecArray,
): CommandWords {
  const type = commitType(message);
  const size = lines.find((line) => filesChanged.test(line))?.trim() ?? "";
  const created = lines.flatMap((line) => createdFile.exec(line)?.[1] ?? []);
  const pushed = segments.some((segment) => segment.program === "git" && gitVerb(segment.words) === "push");
  return {
    title: `Committed${pushed ? " and pushed" : ""}: ${message}`,
    obs_type: type,
    concepts: changeConcepts(type),
    facts: [`Commit ${hash} on ${branch}: ${message}`, size, ...pushFacts(lines)],
    evidence: [`Commit ${hash} on branch ${branch}`, size],
    filesModified: created,
  };
}

// `git commit -q` prints nothing; the message stands in the command.
function quietCommit({ main, label }: CommandRun): CommandWords {
  const at = main.words.findIndex((word) => /^-\w*m$|^--message$/.test(word));
  const text = at < 0 ? "" : (main.words[at + 1] ?? "");
  const subject = text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("$(cat")) ?? "";
  if (subject === "") return { title: `Ran ${label}` };
  const type = commitType(subject);
  return {
    title: `Committed: ${subject}`,
    obs_type: type,
    concepts: changeConcepts(type),
    facts: [`Commit message: ${subject}`],
  };
}

function conflictWords(verb: string, conflicts: readonly string[]): CommandWords {
  const files = conflicts.flatMap((line) => / in (\S+)\s*$/.exec(line)?.[1] ?? []);
  return {
    title: `git ${verb} stopped at conflicts in ${listed(files, 3) || counted(conflicts.length, "file")}`,
    concepts: ["problem-solution", "gotcha"],
    facts: [...conflicts],
    evidence: [listed(conflicts, 3)],
    filesModified: files,
  };
}

/** What `gh` did: pull requests and issues it opened, merged or closed. */
export function describeGitHub({ main, use, label }: CommandRun): CommandWords {
  const [, noun = "", verb = ""] = main.words;
  const titleAt = main.words.findIndex((word) => word === "--title" || word === "-t");
  const name = titleAt < 0 ? (main.words[3] ?? "") : (main.words[titleAt + 1] ?? "");
  const address = /https:\/\/\S{1,200}/.exec(use.result.text)?.[0] ?? "";
  const first = firstLine(use.result.text);
  const what = { pr: "pull request", issue: "issue", release: "release" }[noun];
  const did = { create: "Opened", merge: "Merged", close: "Closed", edit: "Edited", comment: "Commented on" }[
    verb
  ];
  if (what === undefined || did === undefined)
    return { title: `Ran ${label}`, facts: [first], provenance: "web" };
  return changed(`${did} ${what}${after(name.startsWith("-") ? "" : name)}`, [address]);
}

type GitWords = (run: CommandRun, names: string[]) => CommandWords;

/** One row for each git command that has more to say than its first line. */
const verbs = new Map<string, GitWords>([
  ["status", ({ lines }) => statusWords(lines)],
  ["log", ({ lines }) => logWords(lines)],
  ["diff", ({ lines, label }) => diffWords(lines, label)],
  ["show", ({ lines, label }) => showWords(lines, label)],
  ["push", ({ lines, label }) => changed(pushFacts(lines)[0] ?? `Ran ${label}`, pushFacts(lines))],
  ["add", (_, names) => changed(`Staged ${listed(names, 3) || "all changes"}`)],
  ["checkout", checkoutWords],
  ["switch", checkoutWords],
  ["restore", (_, names) => changed(`Restored ${listed(names, 3)}`)],
  ["branch", branchWords],
  [
    "merge",
    ({ lines }, [name = ""]) => changed(`Merged ${name}${after(sizeLine(lines))}`, [sizeLine(lines)]),
  ],
  [
    "rebase",
    ({ lines }, [name = ""]) => changed(`Rebased${name === "" ? "" : ` onto ${name}`}`, lines.slice(-1)),
  ],
  [
    "pull",
    ({ lines }) => changed(`Pulled${after(sizeLine(lines) || (lines.at(-1) ?? ""))}`, [sizeLine(lines)]),
  ],
  ["stash", ({ lines }, names) => changed(`git stash ${names[0] ?? "push"}${after(lines[0] ?? "")}`)],
  ["tag", tagWords],
  [
    "clone",
    (_, [address = "", into = ""]) => changed(`Cloned ${address}${into === "" ? "" : ` into ${into}`}`),
  ],
  ["reset", ({ lines, label }) => changed(`Ran ${label}${after(lines[0] ?? "")}`)],
  ["revert", ({ lines, label }) => changed(`Ran ${label}${after(lines[0] ?? "")}`)],
  ["rm", (_, names) => changed(`Removed ${listed(names, 3)} from git`)],
  ["mv", (_, [from = "", to = ""]) => ({ ...changed(`Moved ${from} to ${to}`), obs_type: "refactor" })],
]);

function changed(title: string, facts: string[] = []): CommandWords {
  return { title, obs_type: "change", concepts: ["what-changed"], facts, evidence: facts };
}

function statusWords(lines: readonly string[]): CommandWords {
  const branch = lines.flatMap((line) => /^(?:On branch |## )([^\s.]+)/.exec(line)?.[1] ?? [])[0];
  const modified = lines.flatMap((line) => statusModified.exec(line)?.[1] ?? []);
  const untracked = lines.flatMap((line) => /^\?\? (.+)$/.exec(line)?.[1] ?? []);
  const where = branch === undefined ? "" : ` on ${branch}`;
  const clean = modified.length + untracked.length === 0;
  const found = [
    modified.length > 0 ? `${modified.length} changed` : "",
    untracked.length > 0 ? `${untracked.length} untracked` : "",
  ].filter((part) => part !== "");
  return {
    title: `git status${where}: ${clean ? "nothing changed" : found.join(", ")}`,
    facts: [
      branch === undefined ? "" : `Branch ${branch}`,
      modified.length > 0 ? `Changed: ${listed(modified, 12)}` : "",
      untracked.length > 0 ? `Untracked: ${listed(untracked, 12)}` : "",
    ],
    evidence: [
      modified.length > 0 ? `Changed files: ${listed(modified, 8)}` : "The work tree has no changed files",
    ],
  };
}

function logWords(lines: readonly string[]): CommandWords {
  const short = lines.flatMap((line) => {
    const match = /^[*|\s]*([0-9a-f]{7,40}) (?:\([^)]*\) )?(\S.*)$/.exec(line);
    return match === null ? [] : [`${match[1]?.slice(0, 9)} ${match[2]}`];
  });
  const long = lines.flatMap((line, index) => {
    const hash = /^commit ([0-9a-f]{7,40})/.exec(line)?.[1];
    const subject = lines.slice(index + 1, index + 8).find((text) => text.startsWith("    "));
    return hash === undefined ? [] : [`${hash.slice(0, 9)} ${subject?.trim() ?? ""}`];
  });
  const commits = long.length > 0 ? long : short;
  return {
    title: commits.length === 0 ? `git log${after(lines[0] ?? "")}` : `git log: latest is ${commits[0]}`,
    facts: commits.slice(0, 5).map((commit) => `Commit ${commit}`),
    evidence: [`It showed ${counted(commits.length, "commit")}`, listed(commits.slice(0, 3), 3)],
  };
}

function diffWords(lines: readonly string[], label: string): CommandWords {
  const files = lines.flatMap(
    (line) => /^diff --git a\/.* b\/(.+)$/.exec(line)?.[1] ?? /^\s?(\S+)\s+\|\s+\d+/.exec(line)?.[1] ?? [],
  );
  const added = lines.filter((line) => /^\+(?!\+\+ )/.test(line)).length;
  const removed = lines.filter((line) => /^-(?!-- )/.test(line)).length;
  const size = sizeLine(lines) || (added + removed > 0 ? `${added} lines added, ${removed} removed` : "");
  if (files.length === 0)
    return {
      title: `${label}: ${lines.join("").trim() === "" ? "no difference" : firstLine(lines.join("\n"))}`,
    };
  return {
    title: `${label}: ${counted(files.length, "file")} differ${files.length === 1 ? "s" : ""}: ${listed(files, 3)}`,
    concepts: ["what-changed"],
    facts: [`Differs: ${listed(files, 12)}`, size],
    evidence: [size],
    filesRead: files,
  };
}

function showWords(lines: readonly string[], label: string): CommandWords {
  const log = logWords(lines);
  const diff = diffWords(lines, label);
  if (diff.filesRead === undefined) return { ...log, title: `${label}${after(firstLine(lines.join("\n")))}` };
  const subject = log.facts?.[0]?.replace(/^Commit /, "") ?? "";
  return {
    ...diff,
    title: subject === "" ? diff.title : `Looked at commit ${subject}`,
    facts: [...(log.facts ?? []), ...(diff.facts ?? [])],
  };
}

function checkoutWords({ main, lines }: CommandRun, names: string[]): CommandWords {
  const [name = ""] = names;
  if (main.words.some((word) => word === "-b" || word === "-c" || word === "-B"))
    return changed(`Created branch ${name}`, [
      `New branch ${name}${names[1] === undefined ? "" : ` from ${names[1]}`}`,
    ]);
  if (main.words.includes("--")) return { ...changed(`Restored ${listed(names, 3)}`), filesModified: names };
  return changed(`Switched to ${name}`, lines.filter((line) => /^Your branch is/.test(line)).slice(0, 1));
}

function branchWords({ lines, main, label }: CommandRun, names: string[]): CommandWords {
  if (main.words.some((word) => word === "-d" || word === "-D"))
    return changed(`Deleted branch ${listed(names, 3)}`);
  if (names[0] !== undefined) return changed(`Created branch ${names[0]}`);
  const current = lines.flatMap((line) => /^\* (\S+)/.exec(line)?.[1] ?? [])[0];
  return {
    title: current === undefined ? `Ran ${label}${after(lines[0] ?? "")}` : `git branch: on ${current}`,
    facts: [current === undefined ? "" : `Branch ${current}`],
  };
}

function tagWords({ lines }: CommandRun, [name]: string[]): CommandWords {
  return name === undefined
    ? { title: `git tag${after(listed(lines.slice(-3), 3))}` }
    : changed(`Tagged ${name}`, [`Tag ${name}`]);
}

function pushFacts(lines: readonly string[]): string[] {
  const to = lines.flatMap((line) => /^To (\S+)/.exec(line)?.[1] ?? [])[0];
  return lines.flatMap((line) => {
    const match = /(?:[0-9a-f]{7,}\.\.\.?[0-9a-f]{7,}|\[new (?:branch|tag)\])\s+(\S+) -> (\S+)/.exec(line);
    return match === null ? [] : [`Pushed ${match[1]}${to === undefined ? "" : ` to ${to}`}`];
  });
}

function sizeLine(lines: readonly string[]): string {
  return lines.find((line) => filesChanged.test(line))?.trim() ?? "";
}

function operandsAfterVerb({ main }: CommandRun, verb: string): string[] {
  const at = main.words.indexOf(verb);
  return operands({ ...main, words: main.words.slice(Math.max(0, at)) }, messageOptions);
}

function after(text: string): string {
  return text.trim() === "" ? "" : `: ${clip(text.trim(), 80)}`;
}

const messageOptions = new Set(["-m", "--message"]);
const commitLine = /^\[([^\s\]]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (\S.*)$/;
const filesChanged = /^\s*\d+ files? changed/;
const createdFile = /^ create mode \d+ (.+)$/;
const statusModified = /^(?:\t(?:modified|new file|deleted|renamed):\s+|[ MADRCU]{2} (?=\S))(.+)$/;
