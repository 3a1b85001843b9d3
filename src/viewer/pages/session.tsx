// A session: its prompts, work and summaries in order, and the context injected at each moment.
import { useRef, useState } from "preact/hooks";
import type { StreamEvent } from "../../core/records/events.ts";
import { counted, durationInWords } from "../../text/quantities.ts";
import { deleteRecord, editRecord } from "../actions.ts";
import { Fault, Shown, useLoaded, useReloadOn } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { fullTime } from "../clock.ts";
import { useKeys } from "../keys.ts";
import { linkTo, type PageProps } from "../links.ts";
import { go } from "../location.ts";
import { type Paged, usePaged } from "../paged.ts";
import { InlineCode } from "../parts/inline-code.tsx";
import { Missing, Nothing } from "../parts/missing.tsx";
import { TextForm } from "../parts/text-form.tsx";
import { focusedRecord } from "../row-keys.ts";
import { useViewer } from "../viewer.ts";
import { InjectedTotals, SubAgents } from "./session-injected.tsx";
import { SessionTimeline, type Shows } from "./session-timeline.tsx";
import { sessionTitle } from "./sessions.tsx";

type Session = Reads[`/api/session/${number}`];

export function SessionPage({ parts, query }: PageProps) {
  const id = Number(parts.id);
  return (
    <div class="page">
      <nav aria-label="Back">
        <a href={linkTo("/sessions")}>All sessions</a>
      </nav>
      {Number.isSafeInteger(id) && id > 0 ? (
        <SessionView key={id} id={id} query={query} />
      ) : (
        <Nothing title="There is no such session">
          A session has a number: “{parts.id}” is none. All sessions are in the list above.
        </Nothing>
      )}
    </div>
  );
}

function SessionView({ id, query }: { id: number; query: URLSearchParams }) {
  const { api } = useViewer();
  const session = useLoaded((signal) => api.get(`/api/session/${id}`, {}, signal), [id]);
  const [isRenaming, setIsRenaming] = useState(false);
  // A form with text stays, whatever becomes of its session.
  if (session.fault?.code === "not_found" && !(isRenaming && session.value))
    return <Missing kind="session" id={id} onRestored={session.reload} />;
  return (
    <Shown of={session}>
      {(value) => (
        <>
          <SessionHead
            session={value}
            isEditing={isRenaming}
            setIsEditing={setIsRenaming}
            onChanged={session.reload}
          />
          <SessionBody session={value} reload={session.reload} query={query} />
        </>
      )}
    </Shown>
  );
}

interface HeadProps {
  session: Session;
  isEditing: boolean;
  setIsEditing(is: boolean): void;
  onChanged(): void;
}

function SessionHead({ session, isEditing, setIsEditing, onChanged }: HeadProps) {
  const viewer = useViewer();
  const { id, project, host, status, cwd, prompt_count, created_at_epoch, last_active_at_epoch } = session;
  const rename = (title: string) =>
    viewer.act(async () => {
      const { text, undo } = await editRecord(viewer.api, "session", id, { title });
      onChanged();
      return { text, ...(undo && { undo: () => undo().then(onChanged) }) };
    });
  async function remove(): Promise<void> {
    if (await viewer.act(() => deleteRecord(viewer.api, "session", id))) go(linkTo("/sessions"));
  }
  useKeys([
    { keys: "e", what: "Rename the session", when: isUnfocused, run: () => setIsEditing(true) },
    { keys: "x", what: "Delete the session", when: isUnfocused, run: () => void remove() },
  ]);
  if (isEditing)
    return (
      <TextForm
        label="Title of the session"
        text={sessionTitle(session)}
        save="Save"
        onSave={rename}
        onClose={() => setIsEditing(false)}
      />
    );
  const lasted = last_active_at_epoch - created_at_epoch;
  return (
    <header class="session-head">
      <h1 dir="auto">
        <InlineCode text={sessionTitle(session)} />
      </h1>
      <p class="session-facts">
        <span class="project" dir="auto">
          {project}
        </span>
        <span>{host}</span>
        <span>{status === "active" ? "active" : "ended"}</span>
        <span>{counted(prompt_count, "prompt")}</span>
        <span>
          {fullTime(created_at_epoch)}
          {lasted >= 60_000 && `, for ${durationInWords(lasted)}`}
        </span>
        {cwd !== null && <code dir="auto">{cwd}</code>}
      </p>
      <div class="buttons">
        <button type="button" aria-keyshortcuts="e" onClick={() => setIsEditing(true)}>
          Rename <kbd>e</kbd>
        </button>
        <button type="button" class="danger" aria-keyshortcuts="x" onClick={() => void remove()}>
          Delete with its records <kbd>x</kbd>
        </button>
      </div>
    </header>
  );
}

interface BodyProps {
  session: Session;
  reload: () => void;
  query: URLSearchParams;
}

// On a focused row these keys act on its record.
function isUnfocused(): boolean {
  return focusedRecord() === undefined;
}

function SessionBody({ session, reload, query }: BodyProps) {
  const { api } = useViewer();
  const { id } = session;
  const [totals, setTotals] = useState<Reads[`/api/sessions/${number}/injections`]["totals"]>();
  const injected = usePaged(
    async (page, signal) => {
      const answer = await api.get(`/api/sessions/${id}/injections`, page, signal);
      if (answer.totals !== undefined) setTotals(answer.totals);
      return answer;
    },
    [id],
    200,
  );
  const records = usePaged((page, signal) => api.get(`/api/sessions/${id}/records`, page, signal), [id], 200);
  useReloadOn(
    () => {
      reload();
      injected.reload();
      records.reload();
    },
    (event) => concerns(event, session),
  );
  const shows = showsOf(query);
  // The timeline has both: without one of them its rows would move later.
  const isRead = useRef(false);
  isRead.current ||= ![records, injected].some(isUnread);
  if (!isRead.current) return <p class="quiet loading">Loading…</p>;
  return (
    <>
      {injected.fault && <Fault fault={injected.fault} retry={injected.reload} />}
      {totals && <InjectedTotals totals={totals} />}
      {records.fault && <Fault fault={records.fault} retry={records.reload} />}
      <ShowChoice id={id} shows={shows} />
      <SessionTimeline session={session} shows={shows} records={records} injected={injected} />
      <SubAgents
        session={session}
        injections={injected.items.filter(({ reader }) => reader !== "")}
        records={records.items}
      />
    </>
  );
}

function isUnread({ items, isLoading, fault }: Paged<unknown>): boolean {
  return items.length === 0 && isLoading && fault === undefined;
}

const choices: Readonly<Record<Shows, string>> = {
  all: "Everything",
  injected: "Injected context",
  work: "Work",
};

function showsOf(query: URLSearchParams): Shows {
  const wanted = query.get("show");
  return wanted === "injected" || wanted === "work" ? wanted : "all";
}

function ShowChoice({ id, shows }: { id: number; shows: Shows }) {
  return (
    <nav class="choices" aria-label="Show">
      {(Object.keys(choices) as Shows[]).map((each) => (
        <a
          key={each}
          class="button"
          href={linkTo(`/session/${id}`, { show: each === "all" ? undefined : each })}
          aria-current={each === shows ? "true" : undefined}
        >
          {choices[each]}
        </a>
      ))}
    </nav>
  );
}

function concerns(event: StreamEvent, { id, sdk_session_id, claude_session_id }: Session): boolean {
  switch (event.type) {
    case "observation_created":
    case "observation_changed":
      return event.observation.sdk_session_id === sdk_session_id;
    case "summary_created":
      return event.summary.sdk_session_id === sdk_session_id;
    case "new_prompt":
      return event.claude_session_id === claude_session_id;
    case "session_started":
    case "session_completed":
    case "observation_queued":
      return event.sessionDbId === id;
    default:
      return event.type.startsWith("record_");
  }
}
