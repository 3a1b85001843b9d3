// The prompts of a search without the question itself: what is asked now is no answer to it.
import type { UserPrompt } from "../core/records/records.ts";
import type { HitPage, RecordFilter, TextHit } from "../core/records/search.ts";
import { buildMatch, buildWholeMatch } from "./query.ts";
import type { SearchedKind, SearchPort } from "./ways.ts";

/** Prompts that do not say what the words of the search say, and that no agent works on now. */
export function otherPrompts(
  prompts: SearchPort["prompts"],
  { words, scope, filter }: { words: string; scope: readonly string[]; filter: RecordFilter },
): SearchPort["prompts"] {
  const match = buildWholeMatch(words, ["body"], scope) ?? buildMatch(words, ["body"], scope);
  const alike = match === null ? [] : prompts.match(match, filter, { limit: mostAlike, offset: 0 });
  const same = alike.filter(({ id }) => asksTheSame(prompts.byId(id)?.prompt_text ?? "", words));
  const left = new Set([...prompts.underWay(), ...same.map(({ id }) => id)]);
  return left.size === 0 ? prompts : { ...prompts, ...without(prompts, left) };
}

// Somebody who asks the same all the time still gets other prompts.
const mostAlike = 100;

/**
 * True for the same words: case, white space and the marks at the ends make no other question. One word alone is a topic,
 * which a prompt may be about.
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
function without(prompts: Lists, left: ReadonlySet<number>): Lists {
  const paged =
    <T>(idOf: (one: T) => number, list: (filter: RecordFilter, page: HitPage) => T[]) =>
    (filter: RecordFilter, { limit, offset }: HitPage): T[] =>
      list(filter, { limit: offset + limit + left.size, offset: 0 })
        .filter((one) => !left.has(idOf(one)))
        .slice(offset, offset + limit);
  const ofHit = ({ id }: TextHit): number => id;
  return {
    match: (match, filter, page) => paged(ofHit, (f, p) => prompts.match(match, f, p))(filter, page),
    containing: (parts, filter, page) =>
      paged(ofHit, (f, p) => prompts.containing(parts, f, p))(filter, page),
    newest: (filter, page) => paged((id: number) => id, prompts.newest)(filter, page),
    scan(filter, limit, from) {
      const { ids, next } = prompts.scan(filter, limit + left.size, from);
      return { ids: ids.filter((id) => !left.has(id)).slice(0, limit), next };
    },
  };
}
