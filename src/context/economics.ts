// One line that says what the records shown cost and what they save.
import { grouped } from "./tokens.ts";
import type { ContextRow, ContextView } from "./view.ts";

/** The economics of `rows` as far as the settings want them shown, and savings only where they are worth a word. */
export function economicsLine(rows: readonly ContextRow[], show: ContextView["show"]): string {
  const read = sum(rows, (row) => row.readTokens);
  const work = sum(rows, (row) => row.workTokens);
  const saved = work - read;
  const isWorthSaying = saved >= leastSaved.tokens && saved >= work * leastSaved.share;
  return [
    `${grouped(rows.length)} ${rows.length === 1 ? "record" : "records"}`,
    show.readTokens ? `, ~${grouped(read)} tokens to read in full` : "",
    show.workTokens ? `${show.readTokens ? "," : ""} from ~${grouped(work)} tokens of work` : "",
    show.savings && isWorthSaying ? `: ${Math.floor((100 * saved) / work)} % saved (${grouped(saved)})` : "",
    ".",
  ].join("");
}

// Both figures are estimates at four characters a token: a difference below these is noise, not a saving.
const leastSaved = { share: 0.25, tokens: 100 };

function sum(rows: readonly ContextRow[], of: (row: ContextRow) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}
