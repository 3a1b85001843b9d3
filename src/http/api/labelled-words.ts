// Filters that somebody wrote among the words of a search: `type:bugfix parser`, `project:shop`.
import { noSuchProject, noSuchWords } from "../../domain/known-names.ts";
import type { SearchRequest } from "../../recall/search.ts";
import { searchCategoryOf } from "../schemas/search.ts";
import type { KnownFilters } from "./unknown-filters.ts";

/**
 * The search with the filters that stand in its words, and what is to be said of them. What no filter can be is looked
 * for as it is, and told: a label is a word of code as well. A filter that was given as such is not overruled.
 */
export function readLabels(
  asked: SearchRequest,
  known: KnownFilters,
): { asked: SearchRequest; notes: string[] } {
  const { query = "" } = asked;
  if (query.length > longestQuestion || !query.includes(":")) return { asked, notes: [] };
  const notes: string[] = [];
  let filters: Filters = {};
  const words = query.replace(labelled, (written, label: string, quoted?: string, plain?: string) => {
    const read = readLabel(label.toLowerCase(), quoted ?? plain ?? "", known);
    if (read === null) return written;
    if ("unknown" in read) {
      if (read.unknown !== null) notes.push(read.unknown);
      return written;
    }
    if (isGiven(asked, read)) return written;
    const both = joined(filters, read);
    if (both === null) {
      notes.push(`${written} is looked for as words: there can be one type and one project.`);
      return written;
    }
    filters = both;
    notes.push(`${written} is read as a filter.`);
    return "";
  });
  return { asked: { ...asked, ...filters, query: words.trim() }, notes };
}

/** Both filters; null where a record can pass one of them only. */
function joined(before: Filters, read: Filters): Filters | null {
  const both = { ...before, ...read };
  const isLost = (["type", "obs_type", "project"] as const).some(
    (name) => before[name] !== undefined && before[name] !== both[name],
  );
  // A session and a prompt have no type of observations.
  if (isLost || (both.obs_type !== undefined && (both.type ?? "observations") !== "observations"))
    return null;
  if (read.concepts !== undefined) both.concepts = [...(before.concepts ?? []), ...read.concepts];
  if (read.files !== undefined) both.files = [...(before.files ?? []), ...read.files];
  return both;
}

type Filters = Pick<SearchRequest, "type" | "obs_type" | "project" | "concepts" | "files">;

// A whole log was pasted: its colons are its own.
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
  { mode, projects }: KnownFilters,
): Filters | { unknown: string | null } | null {
  const { name, types, concepts } = mode();
  const word = value.toLowerCase();
  switch (label) {
    case "type":
    case "obs_type": {
      const type = searchCategoryOf(word);
      if (type !== undefined) return { type };
      if (types.some(({ id }) => id === word)) return { obs_type: word };
      return { unknown: noSuchWords("type", [value], { name, known: types }) };
    }
    case "project": {
      const all = projects();
      const project = all.find((one) => one === value) ?? all.find((one) => one.toLowerCase() === word);
      return project === undefined ? { unknown: noSuchProject(value, all) } : { project };
    }
    case "concept":
    case "concepts":
      if (concepts.some(({ id }) => id === word)) return { concepts: [word] };
      return { unknown: noSuchWords("concept", [value], { name, known: concepts }) };
    default:
      // "file:line" is no file.
      return /[./\\]/.test(value) ? { files: [value] } : null;
  }
}
