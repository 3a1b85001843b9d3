// The timeline of a session: prompts, work and summaries, with the injected context between them.
import type { ComponentChildren } from "preact";
import type { Injection, Reads, SessionRecord } from "../api.ts";
import { clockTime, dayOf, fullTime } from "../clock.ts";
import { observationLine, recordLink, unmergedBranch } from "../lines.ts";
import type { Paged } from "../paged.ts";
import { BlockCode, InlineCode } from "../parts/inline-code.tsx";
import { BranchMark, Marks, TypeBadge } from "../parts/record-row.tsx";
import { InjectedCard } from "./session-injected.tsx";

export type Shows = "all" | "injected" | "work";

interface TimelineProps {
  session: Reads[`/api/session/${number}`];
  shows: Shows;
  records: Paged<SessionRecord>;
  injected: Paged<Injection>;
}

export function SessionTimeline({ session, shows, records, injected }: TimelineProps) {
  const { items, fault } = records;
  const [hasMore, isLoading] = [records.hasMore || injected.hasMore, records.isLoading || injected.isLoading];
  const entries = inOrder(records, injected).filter(
    ({ injection }) => shows === "all" || (shows === "injected") === (injection !== undefined),
  );
  return (
    <section aria-labelledby="timeline-title">
      <h2 id="timeline-title" class="unseen">
        Timeline
      </h2>
      {entries.length > 0 && (
        <ol class="session-timeline">
          {entries.map(({ key, at, injection, prompt, record }, index) => (
            <li key={key} class={injection ? "injection" : record?.kind}>
              <When at={at} before={entries[index - 1]?.at ?? 0} />
              {injection && <InjectedCard injection={injection} session={session} prompt={prompt} />}
              {record && <RecordEntry {...record} />}
            </li>
          ))}
        </ol>
      )}
      {isLoading && items.length === 0 && <p class="quiet loading">Loading…</p>}
      {hasMore && (
        <button
          type="button"
          disabled={isLoading}
          onClick={() => {
            records.more();
            injected.more();
          }}
        >
          Show more
        </button>
      )}
      {!isLoading && !fault && entries.length === 0 && <p class="quiet empty">{nothing[shows]}</p>}
    </section>
  );
}

// The day when it is another one, and the time when the minute is.
function When({ at, before }: { at: number; before: number }) {
  const isNewDay = dayOf(at) !== dayOf(before);
  const isNew = isNewDay || clockTime(at) !== clockTime(before);
  return (
    <>
      {isNewDay && <h3 class="timeline-day">{dayOf(at)}</h3>}
      <time class={isNew ? "" : "same"} dateTime={new Date(at).toISOString()} title={fullTime(at)}>
        {clockTime(at)}
      </time>
    </>
  );
}

const nothing: Readonly<Record<Shows, string>> = {
  all: "Nothing is stored of this session yet. Its records appear here within seconds of the work.",
  injected: "Nothing was injected into the context of this session's main agent.",
  work: "No prompt, observation or summary is stored of this session.",
};

interface Entry {
  key: string;
  at: number;
  injection?: Injection;
  /** The prompt that the injected text came with. */
  prompt?: PromptRecord | undefined;
  record?: SessionRecord;
}

type PromptRecord = Extract<SessionRecord, { kind: "prompt" }>["record"];

/**
 * Both lists by time, of the main agent. A text that came with a prompt follows the prompt, whichever was stored first.
 * Without its last page a list ends the other one: what is later waits for the next page.
 */
function inOrder(recordPages: Paged<SessionRecord>, injectionPages: Paged<Injection>): Entry[] {
  const { items: records } = recordPages;
  const made = records.map((item): Entry & { sortAt: number; order: number } => ({
    key: `${item.kind} ${item.record.id}`,
    at: item.record.created_at_epoch,
    sortAt: item.record.created_at_epoch,
    order: item.kind === "prompt" ? 0 : 2,
    record: item,
  }));
  const end = Math.min(
    recordPages.hasMore ? (made.at(-1)?.at ?? 0) : Number.POSITIVE_INFINITY,
    injectionPages.hasMore ? (injectionPages.items.at(-1)?.at_epoch ?? 0) : Number.POSITIVE_INFINITY,
  );
  const ofMain = injectionPages.items.filter(({ reader }) => reader === "");
  const injected = ofMain.map((injection) => {
    const prompt = promptOf(injection, records);
    return {
      key: `injection ${injection.id}`,
      at: injection.at_epoch,
      sortAt: prompt?.created_at_epoch ?? injection.at_epoch,
      order: injection.moment === "start" ? -1 : 1,
      injection,
      prompt,
    };
  });
  return [...made, ...injected]
    .filter(({ sortAt }) => sortAt <= end)
    .sort((left, right) => left.sortAt - right.sortAt || left.order - right.order);
}

const hookMs = 30_000;

function promptOf(
  { moment, at_epoch }: Injection,
  records: readonly SessionRecord[],
): PromptRecord | undefined {
  if (moment !== "prompt") return undefined;
  const near = records
    .flatMap((item) => (item.kind === "prompt" ? [item.record] : []))
    .filter(({ created_at_epoch }) => Math.abs(created_at_epoch - at_epoch) < hookMs);
  return near.sort(
    (left, right) => Math.abs(left.created_at_epoch - at_epoch) - Math.abs(right.created_at_epoch - at_epoch),
  )[0];
}

function RecordEntry(item: SessionRecord) {
  switch (item.kind) {
    case "prompt":
      return (
        <Row kind="prompt" record={item.record} title={`Prompt ${item.record.prompt_number}`}>
          <p class="said" dir="auto">
            <BlockCode text={item.record.prompt_text} />
          </p>
        </Row>
      );
    case "summary":
      return <SummaryEntry record={item.record} />;
    case "observation": {
      const line = observationLine(item.record);
      const { id, type, title, detail, marks } = line;
      const says = detail?.replace(/\.$/, "") === title || isPromptNote(detail) ? null : detail;
      return (
        <a class="timeline-row" href={recordLink("observation", id)} data-row>
          <TypeBadge type={type} />
          <span>
            <span class={marks.includes("routine") ? "" : "timeline-title"} dir="auto">
              <InlineCode text={title} />
            </span>
            <Marks of={line} />
            {item.record.agent_id !== null && (
              <span class="mark">by {item.record.agent_type ?? "a sub-agent"}</span>
            )}
            {says && (
              <span class="timeline-detail" dir="auto">
                <InlineCode text={says} />
              </span>
            )}
          </span>
        </a>
      );
    }
    default:
      return item satisfies never;
  }
}

// The prompt stands above on this page.
function isPromptNote(detail: string | null): boolean {
  return detail?.startsWith("Asked: ") === true;
}

type Summary = Extract<SessionRecord, { kind: "summary" }>["record"];

const summaryParts = [
  ["request", "Asked"],
  ["investigated", "Looked at"],
  ["learned", "Learned"],
  ["completed", "Done"],
  ["next_steps", "Next"],
  ["notes", "Notes"],
] as const satisfies readonly (readonly [keyof Summary, string])[];

function SummaryEntry({ record }: { record: Summary }) {
  const parts = summaryParts.filter(([name]) => record[name]);
  return (
    <Row kind="summary" record={record} title="Summary">
      {parts.length === 0 ? (
        <p dir="auto">
          <InlineCode text={record.summary_text} />
        </p>
      ) : (
        <dl class="summary-parts">
          {parts.map(([name, word]) => (
            <div key={name}>
              <dt>{word}</dt>
              <dd dir="auto">
                <InlineCode text={record[name] ?? ""} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Row>
  );
}

interface RowProps {
  kind: "prompt" | "summary";
  record: PromptRecord | Summary;
  title: string;
  children: ComponentChildren;
}

function Row({ kind, record, title, children }: RowProps) {
  return (
    <div class={`timeline-card ${kind}`}>
      <a class="timeline-card-title" href={recordLink(kind, record.id)} data-row>
        <TypeBadge type={kind} kind={kind} /> {title}
        <BranchMark branch={unmergedBranch(record)} />
      </a>
      {children}
    </div>
  );
}
