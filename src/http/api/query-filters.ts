// Filters written in a query: `type:bugfix parser`, `project:shop`.
import { noSuchWords } from "../../core/records/known-names.ts";
import type { SearchRequest } from "../../recall/search.ts";
import { searchCategories, searchCategoryOf } from "../schemas/search.ts";
import type { KnownFilters } from "./filter-notes.ts";

/** Names that a filter can use. */
export interface KnownNames extends KnownFilters {
  /** The present label of a project that may have been renamed. */
  projectNamed(label: string): string;
}

/**
 * The search with the filters read from its words, and notes about them. An invalid filter stays a search word, with a
 * note; `plain` is the query without such words. Explicit filters win. An unknown project stays a filter.
 */
export function readLabels(
  asked: SearchRequest,
  known: KnownNames,
): { asked: SearchRequest; notes: string[]; plain: string } {
  const { query = "" } = asked;
  if (query.length > longestQuestion || !query.includes(":")) return { asked, notes: [], plain: query };
  const notes: string[] = [];
  const invalid: string[] = [];
  let filters: Filters = {};
  const words = query.replace(labelled, (written, label: string, quoted?: string, plain?: string) => {
    const read = readLabel(label.toLowerCase(), quoted ?? plain ?? "", known);
    if (read === null) return written;
    if ("unknown" in read) {
      if (read.unknown === null) return written;
      notes.push(read.unknown);
      invalid.push(written);
      return written;
    }
    if (isGiven(asked, read)) return written;
    const both = joined(filters, read);
    if (both === null) {
      notes.push(`${written} is looked for as words: there can be one type and one project.`);
      return written;
    }
    filters = both;
    // An unknown project is noted by the empty answer.
    if (read.project === undefined || known.projects().includes(read.project))
      notes.push(`${written} is read as a filter.`);
    return "";
  });
  const plain = invalid.reduce((left, label) => left.replace(label, ""), words);
  return { asked: { ...asked, ...filters, query: words.trim() }, notes, plain: plain.trim() };
}

/** Both filters; null where no record can pass both. */
function joined(before: Filters, read: Filters): Filters | null {
  const both = { ...before, ...read };
  const isLost = (["type", "obs_type", "project"] as const).some(
    (name) => before[name] !== undefined && before[name] !== both[name],
  );
  // Sessions and prompts have no observation type.
  if (isLost || (both.obs_type !== undefined && (both.type ?? "observations") !== "observations"))
    return null;
  if (read.concepts !== undefined) both.concepts = [...(before.concepts ?? []), ...read.concepts];
  if (read.files !== undefined) both.files = [...(before.files ?? []), ...read.files];
  return both;
}

type Filters = Pick<SearchRequest, "type" | "obs_type" | "project" | "concepts" | "files">;

// Longer texts are pasted logs, whose colons are no filters.
const longestQuestion = 300;
const labelled = /(?<!\S)(type|obs_type|project|concepts?|files?):(?:"([^"]+)"|([^\s":]+))(?!\S)/gi;

function isGiven(asked: SearchRequest, { type, obs_type, project, concepts, files }: Filters): boolean {
  return (
    (type !== undefined && asked.type !== undefined) ||
    (obs_type !== undefined && asked.obs_type !== undefined) ||
    (project !== undefined && asked.project !== undefined) ||
    (concepts !== undefined && (asked.concepts ?? []).length > 0) ||
    (files !== undefined && (asked.files ?? []).length > 0)
  );
}

function readLabel(
  label: string,
  value: string,
  { mode, projects, projectNamed }: KnownNames,
): Filters | { unknown: string | null } | null {
  const { name, types, concepts } = mode();
  const word = value.toLowerCase();
  switch (label) {
    case "type":
    case "obs_type": {
      const type = searchCategoryOf(word);
      if (type !== undefined) return { type };
      if (types.some(({ id }) => id === word)) return { obs_type: word };
      return { unknown: noSuchWords("type", [value], { name, known: types, also: searchCategories }) };
    }
    case "project":
      return { project: projectCalled(value, projects(), projectNamed) };
    case "concept":
    case "concepts":
      if (concepts.some(({ id }) => id === word)) return { concepts: [word] };
      return { unknown: noSuchWords("concept", [value], { name, known: concepts }) };
    default:
      // The part after the colon of `file:line` is no path.
      return /[./\\]/.test(value) ? { files: [value] } : null;
  }
}

// Punctuation after a label belongs to the sentence: `in project:shop, what was done?`
function projectCalled(
  value: string,
  all: readonly string[],
  projectNamed: KnownNames["projectNamed"],
): string {
  const names = [value, value.replace(/[,.;:!?)]+$/, "")];
  for (const name of names) {
    const wanted = [name, projectNamed(name)];
    const found =
      all.find((one) => wanted.includes(one)) ?? all.find((one) => one.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
  }
  return value;
}
