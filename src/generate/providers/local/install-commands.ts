// Package installs: what was added or removed, and what the package manager reported.

import { listed } from "../../../domain/plain-text.ts";
import { operands } from "./command-files.ts";
import type { CommandRun, CommandWords } from "./command-run.ts";

/** What an install command did. */
export function describeInstall({ main, lines, label }: CommandRun): CommandWords {
  const verbAt = main.words.findIndex((word) => verbs.test(word));
  const verb = main.words[verbAt] ?? "install";
  const packages = operands({ ...main, words: main.words.slice(Math.max(0, verbAt)) }, valueOptions);
  const removes = removals.test(verb);
  const report = lines.findLast((line) => line.length < 240 && reportLine.test(line))?.trim() ?? "";
  const warnings = lines.filter((line) => line.length < 240 && warningLine.test(line)).slice(0, 3);
  const what = packages.length === 0 ? "dependencies" : listed(packages, 4);
  return {
    title: `${removes ? "Removed" : "Installed"} ${what} with ${main.program}`,
    obs_type: "change",
    concepts: ["what-changed"],
    facts: [
      packages.length === 0 ? "" : `${removes ? "Removed" : "Installed"} packages: ${listed(packages, 20)}`,
      report,
      ...warnings,
    ],
    evidence: [report === "" ? `${label} ended well` : report, warnings[0] ?? ""],
  };
}

const verbs = /^(?:i|install|add|ci|get|sync|require|remove|uninstall|rm|up|update|upgrade)$/;
const removals = /^(?:remove|uninstall|rm)$/;
const valueOptions = new Set(
  "--prefix -C --registry --index-url -r --cwd --features -w --workspace".split(" "),
);
const reportLine =
  /^(?:added \d|removed \d|changed \d|up to date|Successfully installed|Installed \d|Requirement already|.*packages? (?:are|is) |Done in|Bundle complete|\+ \S+@)/i;
const warningLine = /\bvulnerabilit|EBADENGINE|npm warn deprecated|incompatible|peer dep/i;
