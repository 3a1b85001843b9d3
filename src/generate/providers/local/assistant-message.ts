// Reads an agent's closing message: what it says it did, learned, looked at, left open.
import { isSmallTalk } from "../../../statements/concluded.ts";

type Topic = "completed" | "learned" | "investigated" | "next_steps" | "notes";

/** The statements of a message by topic, as written; what fits no topic is under `rest`. */
export type Statements = Record<Topic | "rest", string[]>;

/** Sorts the sentences and bullets of `message`: by the heading they stand under, else by how they begin. */
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
  return headings.find(({ pattern }) => pattern.test(heading))?.topic ?? null;
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

/** Headings that agents write, and what stands under them; the first row that fits. */
const headings: readonly { pattern: RegExp; topic: Topic }[] = [
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

/** How statements begin when no heading tells; the first row that fits. */
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
