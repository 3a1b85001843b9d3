// What a later prompt of a session gets: records of the files, symbols and errors that it names.
import type { QuotedRecord } from "../core/records/records.ts";
import { namesIn } from "../statements/text/names.ts";

/**
 * The newest statements that have a name in common with the prompt, at most three. A name that many records have says
 * nothing of any of them.
 */
export function namedIn(
  prompt: string,
  records: readonly QuotedRecord[],
  { known, exceptSession }: { known: ReadonlySet<number>; exceptSession?: string | undefined },
): QuotedRecord[] {
  const names = new Set(namesIn(prompt).filter((name) => name.length >= shortestName));
  if (names.size === 0) return [];
  // The agent has its own session before its eyes.
  const statements = records.filter(
    ({ salience, sdk_session_id }) =>
      salience !== null && salience > leastSalience && sdk_session_id !== exceptSession,
  );
  const named = new Map<string, QuotedRecord[]>();
  for (const record of statements)
    for (const name of namesIn(record.summary))
      if (names.has(name)) named.set(name, [...(named.get(name) ?? []), record]);
  const telling = [...named.values()].filter(({ length }) => length <= mostRecordsOfName).flat();
  return [...new Set(telling)]
    .filter(({ id }) => !known.has(id))
    .sort((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id)
    .slice(0, mostShown);
}

const shortestName = 4;
const leastSalience = -1;
const mostRecordsOfName = 12;
const mostShown = 3;
