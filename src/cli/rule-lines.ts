// Standing rules as text for people.
import type { RulesAnswer } from "../client/worker-client.ts";
import { padToWidth, terminalLine } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";
import { printBeside } from "./table.ts";
import { localDate } from "./words.ts";

type Rule = RulesAnswer["rules"][number];

/** Prints the rules by where they apply, the pairs that contradict each other, then the proposals. */
export function renderRules(io: Io, { rules, proposals, contradictions }: RulesAnswer): void {
  const width = Math.max(...[...rules, ...proposals].map(({ id }) => `#${id}`.length));
  for (const { heading, members } of sectionsOf(rules)) {
    io.out(io.paint.bold(heading));
    for (const rule of members) printRule(io, rule, width);
  }
  renderContradictions(io, rules, contradictions);
  if (proposals.length === 0) return;
  const [first] = proposals;
  io.out(io.paint.bold("proposals, which no agent gets"));
  for (const proposal of proposals) printRule(io, proposal, width);
  printBeside(
    io,
    "  ",
    2,
    `Make one a rule: \`mem rules accept ${first?.id}\`. Drop it: \`mem rules drop ${first?.id}\`.`,
  );
}

/** The rules by heading: everywhere first, then each project. */
export function sectionsOf(rules: readonly Rule[]): { heading: string; members: Rule[] }[] {
  const sections = new Map<string, Rule[]>();
  for (const rule of rules) {
    const heading = rule.reach === "everywhere" ? "everywhere" : `project ${terminalLine(rule.project)}`;
    sections.set(heading, [...(sections.get(heading) ?? []), rule]);
  }
  return [...sections].map(([heading, members]) => ({ heading, members }));
}

function printRule(io: Io, rule: Rule, width: number): void {
  const { id, text, source, prompt_id, times_said, created_at_epoch } = rule;
  const times = times_said > 1 ? `, said ${times_said} times` : "";
  const from = `${prompt_id === null ? source : `said in P${prompt_id}`}${times}`;
  const front = `  ${padToWidth(`#${id}`, width)}  ${localDate(new Date(created_at_epoch))}  `;
  printBeside(io, front, front.length, `${terminalLine(text)} (${from})`);
}

function renderContradictions(
  io: Io,
  rules: readonly Rule[],
  contradictions: RulesAnswer["contradictions"],
): void {
  for (const { older, newer } of contradictions) {
    const pair = [older, newer].flatMap((id) => rules.find((rule) => rule.id === id) ?? []);
    const [first, second] = pair;
    if (first === undefined || second === undefined) continue;
    io.out("");
    io.out(io.paint.yellow("These two rules contradict each other:"));
    const width = Math.max(...pair.map(({ id }) => `#${id}`.length));
    for (const rule of pair) printRule(io, rule, width);
    const steps = `Keep #${newer}: \`${settling(first, second)}\`. Keep #${older}: \`${settling(second, first)}\`.`;
    printBeside(io, "  ", 2, steps);
  }
}

// A rule and its successor are of one project.
function settling(dropped: Rule, kept: Rule): string {
  return dropped.project === kept.project
    ? `mem supersede ${dropped.id} --by ${kept.id}`
    : `mem rules remove ${dropped.id}`;
}
