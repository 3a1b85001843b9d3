// Standing rules as a text file for an editor, and the changes that the user made in it.
import type { NewRule, RulesAnswer } from "../client/worker-client.ts";
import { MemError } from "../core/errors.ts";
import { sectionsOf } from "./rule-lines.ts";

/** The changes in an edited file. */
export interface RuleChanges {
  changed: { id: number; text: string }[];
  added: NewRule[];
  removed: number[];
}

/** One rule a line with its id, in a section for each place where rules apply. */
export function renderRulesFile({ project, rules }: RulesAnswer): string {
  const sections = new Map(sectionsOf(rules).map(({ heading, members }) => [heading, members]));
  const headings = new Set([
    "everywhere",
    ...(project === null ? [] : [`project ${project}`]),
    ...sections.keys(),
  ]);
  const lines = [...headings].flatMap((heading) => [
    "",
    `[${heading}]`,
    ...(sections.get(heading) ?? []).map(({ id, text }) => `${id}: ${text}`),
  ]);
  return `${[...instructions, `${shownIds}${rules.map(({ id }) => id).join(" ")}`, ...lines].join("\n")}\n`;
}

/** Throws `usage` with the faulty line, and `cancelled` for an empty file. */
export function parseRulesFile(text: string, { rules }: RulesAnswer): RuleChanges {
  if (text.trim() === "") {
    throw new MemError("cancelled", { message: "The file is empty. Nothing was changed." });
  }
  const shown = new Set(text.split("\n").flatMap(idsShownIn));
  const changes: RuleChanges = { changed: [], added: [], removed: [] };
  const seen = new Set<number>();
  let section: NewSection | undefined;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/\s+/g, " ").trim();
    if (line === "" || line.startsWith("#")) continue;
    const heading = /^\[(.+)\]$/.exec(line)?.[1];
    const known = /^(\d{1,15}) ?: ?(.*)$/.exec(line);
    if (heading !== undefined) section = sectionNamed(heading, index);
    else if (known === null)
      changes.added.push({ text: line.replace(/^[-*•] /, ""), ...(section ?? unplaced(index)) });
    else addKnown(changes, { id: Number(known[1]), text: known[2] ?? "", index }, { rules, seen });
  }
  changes.removed = rules.map(({ id }) => id).filter((id) => shown.has(id) && !seen.has(id));
  return changes;
}

type NewSection = Pick<NewRule, "reach" | "project">;

function sectionNamed(heading: string, index: number): NewSection {
  if (heading === "everywhere") return { reach: "everywhere" };
  const project = /^project (.+)$/.exec(heading)?.[1];
  if (project !== undefined) return { reach: "project", project };
  throw unreadable(index, `[${heading}] is not a section. Sections: [everywhere], [project <label>].`);
}

function unplaced(index: number): never {
  throw unreadable(index, "A new rule needs a section above it: [everywhere] or [project <label>].");
}

function addKnown(
  changes: RuleChanges,
  { id, text, index }: { id: number; text: string; index: number },
  { rules, seen }: { rules: RulesAnswer["rules"]; seen: Set<number> },
): void {
  const rule = rules.find((each) => each.id === id);
  if (rule === undefined) throw unreadable(index, `No rule ${id}. A new rule has no number.`);
  if (seen.has(id)) throw unreadable(index, `Rule ${id} appears twice.`);
  if (text === "") throw unreadable(index, `Rule ${id} has no text. Delete the line to remove the rule.`);
  seen.add(id);
  if (text !== rule.text.replace(/\s+/g, " ").trim()) changes.changed.push({ id, text });
}

function idsShownIn(line: string): number[] {
  return line.startsWith(shownIds) ? (line.match(/\d+/g) ?? []).map(Number) : [];
}

function unreadable(index: number, problem: string): MemError {
  return new MemError("usage", {
    message: `Line ${index + 1}: ${problem} Nothing was changed.`,
    hint: "List the rules: `mem rules`.",
  });
}

// A rule that is added while the editor is open is not in the file and must not count as deleted.
const shownIds = "# In this file: ";

const instructions = [
  "# Standing rules, one a line. Change a text, or delete a line to remove the rule.",
  "# A line without a number is a new rule of its section. Lines that begin with # are ignored.",
];
