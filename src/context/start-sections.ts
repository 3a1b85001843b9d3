// Sections of a session start: rules, what was kept, open work, last sessions, findings. Each line quotes one record.
import { remembering } from "../core/recent-map.ts";
import { type RecordName, recordName } from "../core/records/record-name.ts";
import type { QuotedRecord, SessionSummary } from "../core/records/records.ts";
import { keptByAgent } from "../core/records/statement.ts";
import { withoutSameRules } from "../statements/rules/same-rule.ts";
import { withoutOpenLabel } from "../statements/text/left-open.ts";
import { saysChanged } from "../statements/text/sentence-cues.ts";
import { sharedCount, topicTermsOf } from "../statements/text/topic-terms.ts";
import { branchMark } from "./branches.ts";
import { textTokens } from "./budget.ts";
import type { EarlierPrompt, StatementsPort } from "./context-port.ts";
import { isSummary, type Line, lastSessions } from "./last-sessions.ts";
import { isOpenWork, newestFirst, openWorkOf } from "./open-work.ts";
import { maxRankable } from "./prompt-context.ts";
import { claimBefore, dayOf, isKept, plainLine } from "./quote.ts";
import { byTurn, lossOfTakenUp, readAddition, takenUpBy, turnKey } from "./turns.ts";

export interface SectionsRequest {
  projects: readonly string[];
  /** Tokens for all sections. */
  tokens: number;
  /** Records that the reader has already. */
  known: ReadonlySet<number>;
  /** The command that lists all rules; without one, search finds them. */
  rulesCommand?: string;
  /** The line of a turn without an answer. */
  interrupted?: string | null;
  /** By a model or the user, newest first. */
  summaries?: readonly SessionSummary[];
}

/** `rankable` is absent where only the salient statements can be read. */
export type StatementSource = Pick<StatementsPort, "standingRules" | "statements"> &
  Partial<Pick<StatementsPort, "rankable" | "asked">>;

export interface StartSections {
  sections: StartSection[];
  /** The host's agent keeps records here: what is not in the sections is not worth a line. */
  isKept: boolean;
  /** Ids of the observations in them, and of those whose text a line has: rules and requests in the same words. */
  records: number[];
}

export interface StartSection {
  heading: string;
  lines: string[];
  /** The records of the lines. */
  records: RecordName[];
}

/**
 * Sections within the tokens, each with the most salient quotes first; none for projects without statements. Equal records
 * give equal sections: ages count from the newest record, not from now.
 */
export function startSections(
  source: StatementSource | undefined,
  { projects, tokens, known, rulesCommand, interrupted = null, summaries = [] }: SectionsRequest,
): StartSections {
  if (source === undefined) return { sections: [], isKept: false, records: [] };
  // Other pinned records than rules are shown before the sections.
  const isNew = (one: QuotedRecord): boolean => !known.has(one.id) && one.pinned !== 1;
  const standing = source.standingRules({ projects, limit: maxCounted }).filter(({ id }) => !known.has(id));
  const statements = projects
    .flatMap((project) => source.statements({ project, limit: maxStatements }))
    .filter(isNew);
  if (standing.length + statements.length + summaries.length === 0 && interrupted === null)
    return { sections: [], isKept: false, records: [] };
  const { rankable } = source;
  // The most salient statements need not be the newest.
  const past =
    rankable === undefined ? statements : projects.flatMap((project) => rankable(project, maxRankable));
  const said = new Set(past.filter(({ id }) => known.has(id)).map(textKey));
  const kept = newestFirst(withoutRepeats(statements.filter(isKept), said));
  const ofAgent = [...standing, ...kept].filter(({ generator }) => generator === keptByAgent);
  const keptTurns = new Set(ofAgent.map(turnKey));
  // What the agent kept of a turn stands for what sentences of it say.
  const isWeaker = (one: QuotedRecord): boolean =>
    !isKept(one) && (keptTurns.size === 0 || !keptTurns.has(turnKey(one)));
  const sure = standing.filter((one) => isKept(one) || isWeaker(one));
  const cut = inOrder(sure).slice(maxRules);
  const rules = withoutSameRules(inOrder(sure).slice(0, maxRules), ({ summary }) => summary);
  const prompts = projects.flatMap((project) => source.asked?.(project, maxPrompts) ?? []);
  const least = keptTurns.size === 0 ? leastWorth.alone : leastWorth.besideKept;
  const sentences = sentencesOf({ statements, past, prompts }, least, isWeaker);
  const ranked = withoutRepeats(sentences.ranked, said);
  const { newest } = sentences;
  // The last session is shown with any conclusion, and with all that it left.
  const isOfLast = (one: QuotedRecord): boolean => one.sdk_session_id === newest[0]?.sdk_session_id;
  const isOpenEnough = (one: QuotedRecord): boolean =>
    (one.salience ?? 0) > least.open || (keptTurns.size === 0 && isOfLast(one));
  const isWorthIt = (one: QuotedRecord): boolean => isWorth(one, least);
  const { open, outdated } = openWorkOf(ranked, newest);
  const openIds = new Set(open.map(({ id }) => id));
  const repeats = repeatsOneOf(rules);
  const room = new Room(tokens);
  const isStand = ({ statement_kind: kind }: QuotedRecord): boolean => kind === "state" || kind === "open";
  const sections = [
    room.fill("Rules from the user", rules.map(withChange(past)), tokens * shares.rules, (shown) =>
      noteOfMore(rules.length + cut.length - shown, rulesCommand),
    ),
    room.fill("Where the work stands", kept.filter(isStand).map(quotedWithDay), tokens),
    room.fill("Known here", kept.filter((one) => !isStand(one)).map(quoted), tokens),
    room.fill(openHeading, open.filter(isOpenEnough).map(quotedOpen), tokens * shares.open),
    room.fill(
      "Last sessions",
      lastSessions(
        newest.filter((one) => isWorthIt(one) || isOfLast(one)),
        { openIds, said, repeats, summaries, isLeft: repeatsOneOf([...open, ...kept.filter(isStand)]) },
      ),
      tokens * shares.sessions,
      () => interrupted,
    ),
    room.fill(
      "Found and decided",
      ranked.filter((one) => isWorthIt(one) && !outdated.has(one)).map(quoted),
      tokens,
    ),
  ].filter(({ lines }) => lines.length > 0);
  const named = sections.flatMap((section) => section.records);
  const repeated = standing.filter((one) => !rules.includes(one) && !cut.includes(one));
  const shown = named.flatMap(({ kind, id }) => (kind === "observation" ? id : []));
  return {
    sections,
    isKept: keptTurns.size > 0,
    records: [...shown, ...repeated.map(({ id }) => id)],
  };
}

interface Past {
  statements: readonly QuotedRecord[];
  past: readonly QuotedRecord[];
  prompts: readonly EarlierPrompt[];
}

/** Of the agent's sentences, and of the user's wishes of worth: those to choose from, by worth, and the newest. */
function sentencesOf(
  { statements, past, prompts }: Past,
  least: Least,
  isWeaker: (one: QuotedRecord) => boolean,
): { ranked: QuotedRecord[]; newest: QuotedRecord[] } {
  const takenUp = takenUpBy(prompts);
  const now = (one: QuotedRecord): QuotedRecord => ({
    ...one,
    salience: (one.salience ?? 0) - lossOfTakenUp * takenUp(one),
  });
  const isTold = (one: QuotedRecord): boolean =>
    isWeaker(one) &&
    one.standing === 0 &&
    (one.said_by === "agent" || (one.said_by === "user" && isWorth(one, least)));
  return {
    ranked: byWorth(statements.filter(isTold).map(now)),
    newest: newestFirst(past.filter(isTold)).slice(0, maxStatements).map(now),
  };
}

function isWorth({ salience, said_by }: QuotedRecord, least: Least): boolean {
  return (salience ?? 0) > (said_by === "user" ? least.user : least.agent);
}

function noteOfMore(more: number, command: string | undefined): string | null {
  if (more === 0) return null;
  const which = `- ${more} more of the user's rules ${more === 1 ? "applies" : "apply"}`;
  return `${which}: ${command === undefined ? "search" : `\`${command}\``}.`;
}

/** Heading of open work. */
export const openHeading = "Left open";
// More do not fit; the others are counted.
const maxRules = 60;
const maxCounted = 1_000;
const maxStatements = 200;
const shares = { rules: 0.6, open: 0.15, sessions: 0.15 };
type Least = Readonly<Record<"agent" | "user" | "open", number>>;

// Of the lines above them in labelled sessions seven of ten were of use alone, and nine of ten beside kept records: an agent
// that keeps records keeps what matters, so that beside them only what is certain counts.
const leastWorth = {
  alone: { agent: 0.3, user: 0.3, open: -0.2 },
  besideKept: { agent: 1.3, user: 1.3, open: 1.3 },
};
const maxPrompts = 500;

// The most salient of equal quotes stands for all of them, and what the reader has for all of its text.
function withoutRepeats(statements: readonly QuotedRecord[], said: ReadonlySet<string>): QuotedRecord[] {
  const seen = new Set(said);
  return statements.filter((one) => {
    const key = textKey(one);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function textKey({ summary }: QuotedRecord): string {
  return summary.toLowerCase();
}

/** The remaining tokens, and the records that are in. */
class Room {
  private readonly names = new Set<string>();
  private left: number;

  constructor(tokens: number) {
    this.left = tokens;
  }

  /**
   * As many of the first lines as fit in the share; shorter lines after one that is too long still get in. `noteFor` says that
   * others did not.
   */
  fill(
    heading: string,
    lines: readonly Line[],
    share: number,
    noteFor: (shown: number) => string | null = () => null,
  ): StartSection {
    const before = Math.min(share, this.left) - textTokens(heading) - headingTokens;
    const all = lines.reduce((sum, { text }) => sum + textTokens(text) + newlineTokens, 0);
    const reserved = textTokens((all > before ? noteFor(0) : noteFor(lines.length)) ?? "");
    let room = before - reserved;
    const shown: Line[] = [];
    for (const line of lines) {
      if (room < leastLine) break;
      const cost = textTokens(line.text) + newlineTokens;
      if (cost > room || this.names.has(recordName(nameOf(line.record)))) continue;
      room -= cost;
      shown.push(line);
      for (const one of [line.record, line.also ?? line.record]) this.names.add(recordName(nameOf(one)));
    }
    const note = before < reserved ? null : noteFor(shown.length);
    if (shown.length > 0 || note !== null) this.left -= before - room + textTokens(heading) + headingTokens;
    const texts = new Map(shown.map(({ record, text }) => [record, text]));
    // Indented under a finding, open work would read as part of it.
    const standsAlone = (record: Line["record"]): boolean =>
      heading !== openHeading && (isSummary(record) || isOpenWork(record));
    const ordered = byTurn([...texts.keys()], standsAlone);
    return {
      heading,
      lines: [
        ...ordered.map(({ record, isFirst }) => `${isFirst ? "" : "  "}${texts.get(record)}`),
        ...(note === null ? [] : [note]),
      ],
      records: ordered.map(({ record }) => nameOf(record)),
    };
  }
}

function nameOf(record: Line["record"]): RecordName {
  return { kind: isSummary(record) ? "session" : "observation", id: record.id };
}

const headingTokens = 2;
const newlineTokens = 0.25;
const leastLine = 8;

/** A rule with the newest later statement that something about it changed. */
function withChange(past: readonly QuotedRecord[]): (rule: QuotedRecord) => Line {
  const changes = newestFirst(past.filter((one) => one.standing === 0 && reportsChange(one.summary)));
  return (rule) => {
    const terms = termsOf(rule.summary);
    const since = changes.find((one) => {
      if ((one.created_at_epoch - rule.created_at_epoch || one.id - rule.id) < 0) return false;
      const ofChange = termsOf(one.summary);
      return sharedCount(terms, ofChange) >= Math.max(2, Math.min(terms.size, ofChange.size) / 2);
    });
    if (since === undefined) return quoted(rule);
    const changed = `${plainLine(since.summary, maxChars.since)} (#${since.id})`;
    return { record: rule, text: `${quotedWithDay(rule).text} Since then: ${changed}`, also: since };
  };
}

const reportsChange = remembering(saysChanged, 4_000);

function quoted(one: QuotedRecord): Line {
  return { record: one, text: `- ${quoteOf(one)} (#${one.id})${branchMark(one)}` };
}

function quotedWithDay(one: QuotedRecord): Line {
  return {
    record: one,
    text: `- ${quoteOf(one)} (#${one.id}, ${dayOf(one.created_at_epoch)})${branchMark(one)}`,
  };
}

// The heading says what the label says.
function quotedOpen(one: QuotedRecord): Line {
  return { ...quotedWithDay({ ...one, summary: withoutOpenLabel(one.summary) }), record: one };
}

function quoteOf(one: QuotedRecord): string {
  const { reach, standing, summary } = one;
  const everywhere = reach === "everywhere" && standing === 1 ? "everywhere: " : "";
  const quote = plainLine(summary, isKept(one) ? maxChars.kept : maxChars.quote);
  return `${everywhere}${claimBefore(one, quote)}${quote}`;
}

const maxChars = { kept: 600, quote: 340, since: 120 };

// Pinned rules first, then those that apply everywhere, then by salience, then the newest.
function inOrder(rules: readonly QuotedRecord[]): QuotedRecord[] {
  return rules.toSorted(
    (a, b) =>
      (b.pinned ?? 0) - (a.pinned ?? 0) ||
      Number(b.reach === "everywhere") - Number(a.reach === "everywhere") ||
      (b.salience ?? 0) - (a.salience ?? 0) ||
      b.id - a.id,
  );
}

// By salience, less for age: about 0.8 in a quarter of a year.
function byWorth(statements: readonly QuotedRecord[]): QuotedRecord[] {
  const newest = Math.max(...statements.map((one) => one.created_at_epoch));
  const worth = ({ salience, created_at_epoch, unmerged }: QuotedRecord): number =>
    (salience ?? 0) -
    (unmerged === undefined ? 0 : unmergedLoss) -
    0.3 * Math.log(1 + (newest - created_at_epoch) / weekMs);
  return statements.toSorted((a, b) => worth(b) - worth(a) || b.id - a.id);
}

// As much as half a year of age.
const unmergedLoss = 1;
const weekMs = 7 * 24 * 3_600_000;

/** True for a text that says what one of the rules says, and little more. */
function repeatsOneOf(rules: readonly QuotedRecord[]): (text: string) => boolean {
  const known = rules.map(({ summary }) => termsOf(summary));
  return (text) => {
    const { terms, isNothingBeside } = readAddition(text);
    return terms.length > 0 && known.some(isNothingBeside);
  };
}

const termsOf = remembering((summary): ReadonlySet<string> => new Set(topicTermsOf(summary)), 4_000);
