// What a colleague would pass on at the start of a session: rules, open work, recent conclusions, failures, findings.
import type { RecordName } from "../core/records/record-name.ts";
import type { QuotedRecord } from "../core/records/records.ts";
import { isPlainRequest } from "../statements/plain-request.ts";
import type { StatementsPort } from "./context-port.ts";
import { isOpenWork, ofFirstTurn, withoutOlderAccounts } from "./open-work.ts";
import { plainLine } from "./plain-line.ts";
import { createRuleReader, type ReadRule, type RuleReader } from "./rule-lines.ts";
import { byTurn, createShownTurns } from "./shown-turns.ts";
import { textTokens } from "./tokens.ts";
import { dayOf } from "./view.ts";

export interface PassedOnRequest {
  projects: readonly string[];
  /** Tokens that the sections may take. */
  tokens: number;
  /** Records that the reader has already. */
  known: ReadonlySet<number>;
}

export interface PassedOnPort {
  statements?: StatementsSource | undefined;
  /** Keeps what it has read, for the starts to come. */
  readRules?: RuleReader;
}

type StatementsSource = {
  [Read in "standingRules" | "statements"]: (request: Parameters<StatementsPort[Read]>[0]) => QuotedRecord[];
} & { rankable?: (project: string, limit: number) => QuotedRecord[] };

export interface PassedOn {
  sections: PassedOnSection[];
  /** Ids of the observations in them. */
  records: number[];
}

export interface PassedOnSection {
  heading: string;
  lines: string[];
  /** The record of each line. */
  records: RecordName[];
}

/**
 * Sections of whole quotes, the most salient first, within the tokens. No sections where the projects have no statement.
 * Equal records give equal sections: ages count from the newest record, not from now.
 */
export function passedOn(port: PassedOnPort, { projects, tokens, known }: PassedOnRequest): PassedOn {
  const source = port.statements;
  if (source === undefined) return { sections: [], records: [] };
  // What is pinned stands in full before the sections.
  const unknown = (one: QuotedRecord): boolean => !known.has(one.id) && one.pinned !== 1;
  const rules = source.standingRules({ projects, limit: mostRules }).filter(unknown);
  const statements = projects
    .flatMap((project) => source.statements({ project, limit: mostStatements }))
    .filter((one) => one.standing === 0 && unknown(one));
  if (rules.length + statements.length === 0) return { sections: [], records: [] };
  const ranked = withoutRepeats(byPassingOn(statements));
  const past = pastOf(source, { projects, statements });
  const ruled = (port.readRules ?? createRuleReader())(rulesInOrder(rules), past);
  const failures = ranked.filter(isFailure);
  const newest = past.slice(0, recordsLookedAt);
  const { open, outdated } = openWork(ranked, newest);
  const listed = new Set(open.map(({ id }) => id));
  const room = new Room(tokens);
  const sections = [
    room.fill("Rules from the user", ruleLines(ruled), tokens * shares.rules),
    room.fill(headings.open, open.map(quotedWithDay), tokens * shares.open),
    room.fill("Last sessions", lastSessions(newest, listed), tokens * shares.sessions),
    room.fill("Failed and not fixed", failures.map(quoted), tokens * shares.failures),
    room.fill("Found and decided", foundIn(ranked, outdated).map(quoted), tokens),
  ].filter(({ lines }) => lines.length > 0);
  const named = sections.flatMap((section) => section.records);
  return { sections, records: named.flatMap(({ kind, id }) => (kind === "observation" ? id : [])) };
}

// The same thing concluded again says no more; the most salient of equal quotes stands for them.
function withoutRepeats(statements: readonly QuotedRecord[]): QuotedRecord[] {
  const said = new Set<string>();
  return statements.filter(({ summary }) => {
    const key = summary.toLowerCase();
    if (said.has(key)) return false;
    said.add(key);
    return true;
  });
}

// What only asked for work of its turn fills a short list, and nothing else.
function foundIn(ranked: readonly QuotedRecord[], outdated: ReadonlySet<QuotedRecord>): QuotedRecord[] {
  const found = ranked.filter((one) => isWorthIt(one) && !outdated.has(one));
  const lasting = found.filter((one) => one.said_by !== "user" || !isPlainRequest(one.summary));
  return lasting.length < shortList ? found : lasting;
}

/** A line and the record that it quotes. */
interface Line {
  record: QuotedRecord;
  text: string;
  /** Quoted in it as well. */
  also?: QuotedRecord;
}

/** What is left of the tokens, and which records are in. */
class Room {
  private readonly ids = new Set<number>();
  private readonly shownTurns = createShownTurns();
  private left: number;

  constructor(tokens: number) {
    this.left = tokens;
  }

  /** As many of the first lines as fit; a long one gives way to shorter ones behind it. */
  fill(heading: string, lines: readonly Line[], share: number): PassedOnSection {
    let room = Math.min(share, this.left) - textTokens(heading) - headingTokens;
    const before = room;
    const shown: Line[] = [];
    for (const line of lines) {
      if (room < leastLine) break;
      const cost = textTokens(line.text) + newlineTokens;
      if (cost > room || this.ids.has(line.record.id) || this.isRepeated(line.record)) continue;
      room -= cost;
      shown.push(line);
      this.ids.add(line.record.id);
      if (line.also !== undefined) this.ids.add(line.also.id);
      this.shownTurns.add(line.record, line.text);
    }
    if (shown.length > 0) this.left -= before - room + textTokens(heading) + headingTokens;
    const texts = new Map(shown.map(({ record, text }) => [record, text]));
    // Under a finding, open work or a command's failure would read as part of it.
    const isApart = (record: QuotedRecord): boolean =>
      heading !== headings.open && (isOpenWork(record) || record.said_by === "tool");
    const ordered = byTurn(
      shown.map(({ record }) => record),
      isApart,
    );
    return {
      heading,
      lines: ordered.map(({ record, isFirst }) => `${isFirst ? "" : "  "}${texts.get(record)}`),
      records: ordered.map(({ record }) => ({ kind: "observation", id: record.id })),
    };
  }

  // A rule is shown whatever else says the same.
  private isRepeated(record: QuotedRecord): boolean {
    return record.standing === 0 && this.shownTurns.isRepeated(record);
  }
}

function ruleLines(rules: readonly ReadRule[]): Line[] {
  return rules.map(({ rule, needsDay, since }) => {
    const { text } = needsDay || since !== null ? quotedWithDay(rule) : quoted(rule);
    if (since === null) return { record: rule, text };
    const changed = `${plainLine(since.summary, maxChars.since)} (#${since.id})`;
    return { record: rule, text: `${text} Since then: ${changed}`, also: since };
  });
}

function quoted(one: QuotedRecord): Line {
  return { record: one, text: `- ${quoteOf(one)} (#${one.id})` };
}

function quotedWithDay(one: QuotedRecord): Line {
  return { record: one, text: `- ${quoteOf(one)} (#${one.id}, ${dayOf(one.created_at_epoch)})` };
}

function quoteOf({ reach, standing, summary }: QuotedRecord): string {
  const everywhere = reach === "everywhere" && standing === 1 ? "everywhere: " : "";
  return `${everywhere}${plainLine(summary, maxChars.quote)}`;
}

// Rules that apply everywhere first; within each the most salient first, and the newest of equal ones.
function rulesInOrder(rules: readonly QuotedRecord[]): QuotedRecord[] {
  return rules.toSorted(
    (a, b) =>
      Number(b.reach === "everywhere") - Number(a.reach === "everywhere") ||
      (b.salience ?? 0) - (a.salience ?? 0) ||
      b.id - a.id,
  );
}

/**
 * The most salient first. A finding loses with its age, slowly: about 0.8 in a quarter of a year. A long one has to be
 * worth the room of two short ones.
 */
function byPassingOn(statements: readonly QuotedRecord[]): QuotedRecord[] {
  const newest = Math.max(...statements.map((one) => one.created_at_epoch));
  const worth = ({ salience, summary, created_at_epoch }: QuotedRecord): number =>
    (salience ?? 0) -
    0.3 * Math.log(1 + (newest - created_at_epoch) / weekMs) -
    0.4 * Math.log(Math.max(1, summary.length));
  return statements.toSorted((a, b) => worth(b) - worth(a) || b.id - a.id);
}

interface OpenWork {
  /** Newest first. */
  open: QuotedRecord[];
  /** Named again by a newer account. */
  outdated: ReadonlySet<QuotedRecord>;
}

/**
 * Work left open: the account of the newest turn that has one, then the most salient of the newest sessions, and little
 * of what is older, of which nothing was said since.
 */
function openWork(ranked: readonly QuotedRecord[], newest: readonly QuotedRecord[]): OpenWork {
  const sessions = new Set(inTime(newest).map((one) => one.sdk_session_id));
  const recent = new Set([...sessions].slice(0, recentSessions));
  const all = ranked.filter((one) => !isFailure(one) && isOpenWork(one));
  const current = new Set(withoutOlderAccounts(inTime(all)));
  const outdated = new Set(all.filter((one) => !current.has(one)));
  const ofLastTurn = ofFirstTurn([...current].filter((one) => recent.has(one.sdk_session_id)));
  const open = all.filter((one) => current.has(one));
  const older = open.filter((one) => !recent.has(one.sdk_session_id)).slice(0, mostOlder);
  const fresh = open.filter((one) => recent.has(one.sdk_session_id));
  const chosen = [...new Set([...ofLastTurn, ...fresh])].slice(0, mostOpen - older.length);
  return { open: inTime([...chosen, ...older]), outdated };
}

function inTime(statements: readonly QuotedRecord[]): QuotedRecord[] {
  return statements.toSorted((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id);
}

// Only what is derived from tool uses says `tool`; a fix has what worked, a failure has not.
function isFailure({ said_by, obs_type }: QuotedRecord): boolean {
  return said_by === "tool" && obs_type === "discovery";
}

// Small talk and plain requests stay out, also where there is room for them.
function isWorthIt(one: QuotedRecord): boolean {
  const least = one.said_by === "user" ? leastSalience.user : leastSalience.agent;
  // What the user asked is answered by what the agent concluded.
  const isQuestion = one.said_by === "user" && /[?？]\s*$/.test(one.summary);
  return !isFailure(one) && !isQuestion && (one.salience ?? 0) > least;
}

// The most salient statements need not be the newest.
function pastOf(
  source: StatementsSource,
  { projects, statements }: { projects: readonly string[]; statements: readonly QuotedRecord[] },
): readonly QuotedRecord[] {
  const { rankable } = source;
  if (rankable === undefined) return statements;
  return projects.flatMap((project) => rankable(project, mostRankable));
}

/** The last sessions that came to something, newest first: what was asked, and the best of what was concluded. */
function lastSessions(newestRecords: readonly QuotedRecord[], elsewhere: ReadonlySet<number>): Line[] {
  const newest = newestRecords
    .filter((one) => one.said_by === "agent" && one.subtitle !== null && isWorthIt(one))
    .filter(({ id }) => !elsewhere.has(id))
    .sort((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id);
  const best = new Map<string, QuotedRecord>();
  for (const one of newest) {
    const before = best.get(one.sdk_session_id);
    if (before === undefined || (one.salience ?? 0) > (before.salience ?? 0))
      best.set(one.sdk_session_id, one);
  }
  return [...best.values()].slice(0, mostSessions).map(lineOfSession);
}

function lineOfSession(one: QuotedRecord): Line {
  const request = (one.subtitle ?? "").replace(/^Asked: /, "");
  const asked = plainLine(request, maxChars.asked).replace(/[.:]+$/, "");
  const came = plainLine(one.summary, maxChars.came);
  return { record: one, text: `- ${asked} → ${came} (#${one.id}, ${dayOf(one.created_at_epoch)})` };
}

const weekMs = 7 * 24 * 3_600_000;
const mostRules = 60;
const mostStatements = 200;
const headings = { open: "Left open" } as const;
const shortList = 5;
const mostOpen = 5;
const mostOlder = 2;
const recentSessions = 10;
const mostSessions = 3;
const recordsLookedAt = 200;
const mostRankable = 2_000;
const leastSalience = { agent: -2.2, user: -1.2 };
const maxChars = { quote: 340, asked: 90, came: 140, since: 120 };
// Of the whole: what is left over goes to findings.
const shares = { rules: 0.6, open: 0.15, sessions: 0.15, failures: 0.12 };
const headingTokens = 2;
const newlineTokens = 0.25;
const leastLine = 8;
