// Writes the summary of a turn from its last messages and the titles of its observations.
import type { DraftSummary } from "../../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../../core/records/messages.ts";
import type { ObservationConcept } from "../../../core/records/records.ts";
import { typedParts } from "../../../core/tools/typed-text.ts";
import { isSmallTalk } from "../../../statements/concluded.ts";
import { fileEndings, isFileName } from "../../../text/file-name.ts";
import { clip, headAndTail, oneLine, plain } from "../../../text/plain-text.ts";
import { caps, distinct, paths, sentence } from "./finding.ts";

/** `recentTitles` are the titles since the previous summary. */
export function summarize(
  { id, message }: ClaimedMessage,
  userPrompt: string,
  recentTitles: readonly string[],
): DraftSummary {
  const said = plain(headAndTail(message.last_assistant_message ?? "", 9_000, 3_000));
  const request = oneLine(
    typedParts(message.last_user_message || userPrompt).typed.slice(0, requestRead),
    requestChars,
  );
  const statements = placeRest(readStatements(said), request);
  const titles = recentTitles.map((title) => oneLine(title.replace(pageWords, "$1"), caps.title));
  const work = titles.filter((title) => workTitle.test(title));
  const looks = titles.filter((title) => lookTitle.test(title));
  const modified = paths([...work.flatMap(filesIn), ...statements.completed.flatMap(filesIn)]);
  const completed = statements.completed.length > 0 ? statements.completed : work;
  return {
    request: request === "" ? null : request,
    investigated: field([...statements.investigated, ...looks]),
    learned: field(statements.learned),
    completed: field(completed),
    next_steps: field(statements.next_steps.map((text) => text.replace(ownLabel, ""))),
    notes: field(statements.notes),
    facts: distinct(
      [
        ...said.split("\n").filter(isFact).map(bare),
        ...titles.filter((title) => factTitle.test(title)).reverse(),
      ],
      caps.fact,
      caps.facts,
    ),
    concepts: concepts({ ...statements, completed }, request),
    files_read: paths([
      ...looks.flatMap(filesIn),
      ...filesIn(said).filter((path) => !modified.includes(path)),
    ]),
    files_modified: modified,
    source: id,
  };
}

// An unclassified statement is an answer when the user asked a question, else a note.
function placeRest(statements: Statements, request: string): Statements {
  const { rest } = statements;
  if (rest.length === 0) return statements;
  if (question.test(request)) return { ...statements, learned: [...rest, ...statements.learned] };
  return { ...statements, notes: [...statements.notes, ...rest] };
}

function field(statements: readonly string[]): string | null {
  const lines = distinct(statements, statementChars, statementCount).map(sentence);
  return lines.length === 0 ? null : clip(lines.join(" "), fieldChars);
}

function concepts({ completed, learned, notes }: Statements, request: string): ObservationConcept[] {
  const found: ObservationConcept[] = [];
  if (completed.length > 0) found.push("what-changed");
  if (learned.length > 0) found.push("how-it-works");
  if (problem.test(request) || learned.some((text) => problem.test(text))) found.push("problem-solution");
  if (notes.some((text) => /trade-?off|instead of|rather than/i.test(text))) found.push("trade-off");
  return found;
}

// Lines with a verifiable result: test counts, commits, exit codes, measurements.
function isFact(line: string): boolean {
  return line.length < 400 && resultWords.test(line) && !/^\s*(?:#|```|\|)/.test(line);
}

function bare(line: string): string {
  return line.replace(/^\s*(?:[-*•+]|\d{1,2}[.)])\s+/, "").replace(/\*\*/g, "");
}

function filesIn(text: string): string[] {
  return Array.from(text.matchAll(filePattern), ([, path = ""]) => path).filter(isFileName);
}

const requestChars = 300;
const requestRead = 4_000;
const statementChars = 300;
const statementCount = 8;
const fieldChars = 1_500;

const workTitle =
  /^(?:Edited|Created|Deleted|Changed|Moved|Copied|Wrote|Committed|Installed|Removed|Added|Fixed|Renamed|Pushed|Merged|Implemented|Refactored|Updated|Tagged)\b/;
// Drops the text of a page after its address: a summary does not show that it came from outside.
const pageWords = /^(Fetched \S+?):? .*$/s;
const lookTitle = /^(?:Read|Searched|Listed|Looked|Fetched|Investigated|Explored)\b/;
const factTitle = /\bfailed\b|\bpassed\b|^Committed|^Pushed|^User decided|^Planned|\breports\b/;
const question =
  /\?\s*$|^(?:how|why|what|where|when|who|which|is|are|does|do|can|could|explain|describe|show|tell|find out)\b/i;
const problem = /\b(?:fix|bug|error|broken|crash|fail|wrong|root cause|regression)/i;
const resultWords =
  /\b\d+ (?:of \d+ )?(?:tests?|passed|failed|errors?|warnings?)\b|\bexit code \d|\bcommit(?:ted)? (?:as )?`?[0-9a-f]{7,40}\b|\b\d+(?:\.\d+)? ?(?:ms|MB|KB|%|seconds)\b/i;
const filePattern = new RegExp(
  `(?:^|[\\s\`"'(])((?:[\\w@.~-]*/)*[\\w@.-]+\\.(?:${fileEndings}))(?=$|[\\s\`"'):,;.])`,
  "gm",
);

type Topic = "completed" | "learned" | "investigated" | "next_steps" | "notes";

/** The statements of a message by topic; `rest` has the unclassified ones. */
type Statements = Record<Topic | "rest", string[]>;

/** Classifies sentences and bullets by the heading above them, else by their first words. */
export function readStatements(message: string): Statements {
  const statements: Statements = {
    completed: [],
    learned: [],
    investigated: [],
    next_steps: [],
    notes: [],
    rest: [],
  };
  let section: Topic | null = null;
  let fenced = false;
  for (const line of message.split("\n", maxLines)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    else if (!fenced && line.trim() !== "" && !/^\s*(?:\||[-*_]{3,}\s*$)/.test(line)) {
      const heading = headingOf(line);
      if (heading !== null) section = topicOfHeading(heading);
      else
        for (const statement of statementsOf(line)) statements[topicOf(statement, section)].push(statement);
    }
  }
  return statements;
}

function headingOf(line: string): string | null {
  const match = /^\s*(?:#{1,6}\s+(.{1,100})|\*\*([^*]{1,80})\*\*:?|([A-Z][^.!?:`]{1,50}):)\s*$/.exec(line);
  return match === null ? null : (match[1] ?? match[2] ?? match[3] ?? null);
}

function topicOfHeading(heading: string): Topic | null {
  return sectionHeadings.find(({ pattern }) => pattern.test(heading))?.topic ?? null;
}

// A bullet is one statement; prose is split into sentences.
function statementsOf(line: string): string[] {
  const bullet = /^\s*(?:[-*•+]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?(.+)$/.exec(line)?.[1];
  const parts = bullet === undefined ? line.split(/(?<=[.!?])\s+(?=[A-Z`"'*(])/) : [bullet];
  return parts
    .map(withoutMarks)
    .filter((part) => part.length >= 4 && /[\p{L}]{2}/u.test(part) && !isSmallTalk(part));
}

function topicOf(statement: string, section: Topic | null): Topic | "rest" {
  if (section === "next_steps" || section === "notes") return section;
  const own = openings.find(({ pattern }) => pattern.test(statement))?.topic;
  if (own === "next_steps") return own;
  return section ?? own ?? "rest";
}

function withoutMarks(text: string): string {
  return text
    .replace(/\*\*|__/g, "")
    .replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, "$1")
    .replace(/^>\s*/, "")
    .trim();
}

const maxLines = 400;

// The part has this name wherever it is shown.
const ownLabel = /^next steps?: */i;

/** Headings that agents write; the first match wins. */
const sectionHeadings: readonly { pattern: RegExp; topic: Topic }[] = [
  {
    topic: "next_steps",
    pattern:
      /next|to-?do|remain|follow[- ]?up|what's left|left to do|open (?:questions?|issues?)|not (?:yet )?done|outstanding|recommend|suggest/i,
  },
  {
    topic: "learned",
    pattern:
      /learn|finding|root cause|cause|why|insight|discover|how it works|diagnos|explanation|answer|the (?:problem|bug|issue)/i,
  },
  {
    topic: "investigated",
    pattern: /investigat|explor|looked|checked|verif|test(?:s|ed|ing)?\b|research|steps taken/i,
  },
  {
    topic: "notes",
    pattern: /note|caveat|warning|limitation|assumption|trade-?off|risk|things to know|worth knowing/i,
  },
  {
    topic: "completed",
    pattern:
      /done|complet|chang|summary|implement|fix|result|added|updated|what i|accomplish|files|overview/i,
  },
];

const doing =
  "add|fix|chang|updat|implement|creat|remov|renam|refactor|mov|replac|wrote|writ|rewrote|built|set up|made|extract|convert|migrat|delet|bump|wir|split|simplif|correct|improv|introduc|switch|install|configur|commit|push|merg|document|cover|handl|resolv|finish|complet|drop|expos|enabl|disabl";
const looking =
  "look|check|read|search|verif|ran|run|test|investigat|explor|trac|review|inspect|compar|confirm|measur|reproduc|found no|grepp";

/** First words of statements without a heading; the first match wins. */
const openings: readonly { pattern: RegExp; topic: Topic }[] = [
  {
    topic: "next_steps",
    pattern:
      /\?$|^(?:next|todo|to-do|remaining|still|you (?:may|might|can|could|should|will|need|'ll)|you'll|let me know|(?:should|shall|would|do|could|can) (?:i|you|we)|want me|i (?:can|could|would|will|recommend|suggest)|i'd|i'll|if you|we (?:should|could|need))\b/i,
  },
  {
    topic: "learned",
    pattern:
      /\b(?:because|root cause|turn(?:s|ed) out|caused by|due to|the (?:problem|issue|bug|reason|cause|culprit) (?:is|was)|(?:this|that|which) means|it works by|is responsible for|learned|discovered|found (?:that|the|a|an|out))\b/i,
  },
  {
    topic: "investigated",
    pattern: new RegExp(`^(?:i(?:'ve| have)?(?: also| then| first)? )?(?:${looking})\\w*\\b`, "i"),
  },
  {
    topic: "completed",
    pattern: new RegExp(
      `^(?:i(?:'ve| have)?(?: also| then| first| now)? |also |then )?(?:${doing})\\w*\\b`,
      "i",
    ),
  },
  {
    topic: "completed",
    pattern:
      /^(?:done|all (?:tests|checks)|(?:the )?tests? (?:now )?pass|everything)\b|\b(?:is|are) (?:now |all )?(?:fixed|done|complete|finished|in place|gone|green|working|implemented)\b|\b(?:now|has been|have been|was|were) (?:\w+ )?(?:added|fixed|changed|updated|implemented|created|removed|renamed|moved|replaced|handled?|returns?|uses?|works?|passe?s?|supports?)\b/i,
  },
  {
    topic: "notes",
    pattern: /^(?:note|caveat|warning|be aware|keep in mind|important|heads[- ]up|however)\b/i,
  },
];
