// Excludes the question itself from the prompts of a search.
import type { UserPrompt } from "../core/records/records.ts";
import type { HitPage, RecordFilter, TextHit } from "../core/records/search.ts";
import { buildMatch, buildWholeMatch } from "./query.ts";
import type { SearchedKind, SearchPort } from "./search-port.ts";

/** The port without prompts that ask the same words, and without those that an agent works on now. */
export function withoutQuestion(
  port: SearchPort,
  { words, scope, filter }: { words: string; scope: readonly string[]; filter: RecordFilter },
): SearchPort {
  const { prompts } = port;
  const match = buildWholeMatch(words, ["body"], scope) ?? buildMatch(words, ["body"], scope);
  const alike = match === null ? [] : prompts.match(match, filter, { limit: mostAlike, offset: 0 });
  const same = alike.filter(({ id }) => asksTheSame(prompts.byId(id)?.prompt_text ?? "", words));
  const excluded = new Set([...prompts.underWay(), ...same.map(({ id }) => id)]);
  return excluded.size === 0 ? port : { ...port, prompts: { ...prompts, ...without(prompts, excluded) } };
}

// A user who asks the same all the time still gets other prompts.
const mostAlike = 100;

/**
 * True for the same words, ignoring case, white space and punctuation at the ends. A single word is a topic, which a prompt
 * may be about.
 */
export function asksTheSame(prompt: string, words: string): boolean {
  const asked = plain(words);
  return asked.includes(" ") && plain(prompt) === asked;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/^[\s"'`]+|[\s"'`.!?…。？！]+$/g, "");
}

type Lists = Pick<SearchedKind<UserPrompt>, "match" | "newest" | "containing" | "scan">;

// A page is cut from the list without them, so that pages neither repeat nor lose a prompt.
function without(prompts: Lists, excluded: ReadonlySet<number>): Lists {
  function cut<T>(list: (page: HitPage) => T[], idOf: (one: T) => number, { limit, offset }: HitPage): T[] {
    return list({ limit: offset + limit + excluded.size, offset: 0 })
      .filter((one) => !excluded.has(idOf(one)))
      .slice(offset, offset + limit);
  }
  const ofHit = ({ id }: TextHit): number => id;
  return {
    match: (match, filter, page) => cut((whole) => prompts.match(match, filter, whole), ofHit, page),
    containing: (parts, filter, page) =>
      cut((whole) => prompts.containing(parts, filter, whole), ofHit, page),
    newest: (filter, page) =>
      cut(
        (whole) => prompts.newest(filter, whole),
        (id) => id,
        page,
      ),
    scan(filter, limit, from) {
      const { ids, next } = prompts.scan(filter, limit + excluded.size, from);
      return { ids: ids.filter((id) => !excluded.has(id)).slice(0, limit), next };
    },
  };
}
