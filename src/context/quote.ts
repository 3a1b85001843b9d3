// Stored text on its way into an agent's context: one plain line each, in a block that no record can close.
import { contentKey } from "../core/ids.ts";
import { dayName } from "../core/local-days.ts";
import { ownSubtitle } from "../core/records/record-terms.ts";
import type { QuotedRecord } from "../core/records/records.ts";
import { keptByAgent } from "../core/records/statement.ts";
import { contextTag } from "../privacy/tag-forms.ts";
import { excerpt } from "../text/excerpt.ts";
import { neededJoiner } from "../text/plain-text.ts";
import { terminalLine } from "../text/terminal-text.ts";

/**
 * `lines` in a block that intake strips when it comes back. The block's name carries a hash that occurs nowhere in the
 * lines, so no record can close it or open another of the same name. Equal lines give equal bytes.
 */
export function contextBlock(lines: readonly string[]): string {
  const body = lines.join("\n");
  const name = `${contextTag}-${unusedHash(body)}`;
  return `<${name}>\n${body}\n</${name}>`;
}

const hashChars = 8;

function unusedHash(body: string): string {
  const taken = body.toLowerCase();
  for (let round = 0; ; round++) {
    const hash = contentKey(String(round), body).slice(0, hashChars);
    if (!taken.includes(hash)) return hash;
  }
}

/** `text` on one line of at most `maxChars`, without invisible characters and without tags that we or a host interpret. */
export function plainLine(text: string, maxChars: number): string {
  const window = text.slice(0, maxChars * 8);
  if (harmless.test(window)) return excerpt(text, maxChars);
  // Escapes and invisible characters go first: inside a tag's name they would hide the tag.
  const visible = terminalLine(window).replace(invisible, neededJoiner);
  return excerpt(visible.replace(tagOpener, "‹").replace(/`{3,}/g, "`"), maxChars);
}

// Printable ASCII without "<" and backticks: nearly every title. The check takes a twentieth of the full cleaning.
const harmless = /^[ -;=-_a-~]*$/;

// Characters without a width and halves of surrogate pairs.
const invisible = /[\p{DI}\p{Cs}\ufff9-\ufffb]/gu;

// Our own tags, tags that hosts and models interpret, and comments. An opener becomes `‹`, because intake reads `&lt;` as
// one when an agent quotes the line.
const tagOpener =
  /[<\ufe64\uff1c](?=[\s/\\]{0,4}(?:!--|antml|assistant|claude|context|developer|function|hook|human|important|instruct|invoke|mem|parameter|private|prompt|result|role|system|thinking|tool|user))/giu;

/** The local day of an epoch, `2026-11-20`; a time outside the calendar (a damaged row) is "unknown day". */
export function dayOf(epochMs: number): string {
  return Math.abs(epochMs) <= 8.64e15 ? dayName(epochMs) : "unknown day";
}

/** True for what the host's agent kept, or the user wrote: the better source. */
export function isKept({ generator, statement_kind: kind }: QuotedRecord): boolean {
  return generator === keptByAgent || (generator === "manual" && kind != null);
}

/**
 * The claim of a model before a quote of the agent, which says what its words are about; empty where they say it first.
 */
export function claimBefore(one: QuotedRecord, quote: string): string {
  const isOfModel = one.said_by === "agent" && !isKept(one);
  const claim = isOfModel ? plainLine(ownSubtitle(one), maxClaimChars) : "";
  const isSaid = lettersOf(quote).includes(lettersOf(claim).slice(0, comparedChars));
  return isSaid ? "" : `${claim.replace(/[.:]+$/, "")}: `;
}

// A title may have the markup that a quote has not.
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

const comparedChars = 24;
const maxClaimChars = 90;
