// Search as you type over observations, summaries and prompts, with every filter of the API.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Shown, useLoaded, useReloadOn } from "../answer.tsx";
import type { Query, Reads } from "../api.ts";
import { searchLines } from "../lines.ts";
import type { PageProps } from "../links.ts";
import { presentEntry } from "../location.ts";
import { useValue } from "../observable.ts";
import { type Marker, markerOf } from "../parts/highlight.tsx";
import { InlineCode } from "../parts/inline-code.tsx";
import { RecordRow } from "../parts/record-row.tsx";
import { SearchFilters } from "../parts/search-filters.tsx";
import { useViewer } from "../viewer.ts";

export type SearchAnswer = Reads["/api/search"];

const firstLimit = 20;
const maxLimit = 100;
// A key more within this time replaces the search.
const pauseMs = 120;

export function SearchPage({ query: given }: PageProps) {
  const { api, project: chosen } = useViewer();
  const project = useValue(chosen);
  const address = given.toString();
  const settled = useSettled(address);
  const [entry] = useState(presentEntry);
  const [limit, setLimit] = useState(entry.limit ?? firstLimit);
  const query = useMemo(() => searchQuery(new URLSearchParams(settled), project), [settled, project]);
  const searched = useRef(query);
  useEffect(() => {
    if (searched.current !== query) show(firstLimit);
    searched.current = query;
  }, [query]);
  function show(count: number): void {
    setLimit(count);
    entry.limit = count;
  }
  const found = useLoaded(
    async (signal) => ({
      query,
      answer: await api.get("/api/search", { ...query, limit, together: "true" }, signal),
    }),
    [query, limit],
  );
  useReloadOn(found.reload, ({ type }) => type.startsWith("record_") || type.endsWith("_changed"));
  const isWaiting = found.isLoading || settled !== address || found.value?.query !== query;
  const words = given.get("q") ?? "";
  useFirstResult(words, isWaiting);
  const marker = useMemo(() => markerOf(words), [words]);
  return (
    <div class="page">
      <h1 class="visually-hidden">Search</h1>
      <SearchFilters given={given} />
      {wrongDays(given).map((note) => (
        <p key={note} class="note" role="status">
          {note}
        </p>
      ))}
      <Shown of={found}>
        {({ answer }) => (
          <div class={isWaiting ? "results waiting" : "results"}>
            <Summary answer={answer} limit={limit} />
            <Hits
              answer={answer}
              marker={marker}
              showProject={project === null}
              limit={limit}
              more={() => show(maxLimit)}
            />
          </div>
        )}
      </Shown>
    </div>
  );
}

/** Focuses the first result when the search box asked for it and the answer belongs to its words. */
function useFirstResult(words: string, isWaiting: boolean): void {
  const { firstResultOf } = useViewer();
  const isAsked = useValue(firstResultOf) === words;
  useEffect(() => {
    if (!isAsked || isWaiting) return;
    firstResultOf.set(null);
    document.querySelector<HTMLElement>(".results [data-row]")?.focus();
  }, [isAsked, isWaiting]);
}

/** The value once it has stayed the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The API's parameters for an address. Days are the reader's, from their first to their last moment. */
function searchQuery(given: URLSearchParams, project: string | null): Query {
  const { q, from, to, type, obs_type, concepts, files } = Object.fromEntries(given);
  return {
    ...{ type, obs_type, concepts, files },
    query: q,
    project: project ?? undefined,
    dateStart: from && dayEdge(from, 0),
    dateEnd: to && dayEdge(to, 1),
  };
}

function dayEdge(day: string, after: 0 | 1): string | undefined {
  if (!isDay(day)) return undefined;
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(new Date(year, month - 1, date + after).getTime() - after).toISOString();
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** What is said of days that an address has wrong. */
function wrongDays(given: URLSearchParams): string[] {
  return (["from", "to"] as const).flatMap((name) => {
    const day = given.get(name) ?? "";
    if (day === "" || isDay(day)) return [];
    const field = name === "from" ? "From" : "To";
    return `${field}: “${day}” is not a day, so it is left out. Choose one, or write it as 2026-01-31.`;
  });
}

function Summary({ answer, limit }: { answer: SearchAnswer; limit: number }) {
  const { totalResults, notes } = answer;
  // The API counts what it answers, not what there is.
  const isPart = totalResults >= limit;
  const records = totalResults === 1 ? "1 record" : `${totalResults} records`;
  return (
    <div role="status" class="search-summary">
      <p class="quiet">{totalResults === 0 ? "Nothing found." : isPart ? `The first ${records}` : records}</p>
      {notes.map((note) => (
        <p key={note} class="note">
          <InlineCode text={note} />
        </p>
      ))}
    </div>
  );
}

interface HitsProps {
  answer: SearchAnswer;
  marker: Marker;
  showProject: boolean;
  /** The most records that the answer can have. */
  limit: number;
  more(): void;
}

function Hits({ answer, marker, showProject, limit, more }: HitsProps) {
  const lines = searchLines(answer);
  return (
    <>
      <ol class="rows">
        {lines.map((line) => (
          <li key={line.key}>
            <RecordRow line={line} showProject={showProject} marker={marker} />
          </li>
        ))}
      </ol>
      {lines.length >= limit && limit < maxLimit && (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
    </>
  );
}
