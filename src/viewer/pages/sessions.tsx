// Sessions, the newest first.

import { counted } from "../../text/quantities.ts";
import { Fault, useReloadOn } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { linkTo } from "../links.ts";
import { useValue } from "../observable.ts";
import { usePaged } from "../paged.ts";
import { InlineCode } from "../parts/inline-code.tsx";
import { Age } from "../parts/record-row.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useViewer } from "../viewer.ts";

type Session = Reads["/sessions"]["items"][number];

export function SessionsPage() {
  const { api, project: chosen } = useViewer();
  const project = useValue(chosen);
  const sessions = usePaged(
    (page, signal) => api.get("/sessions", { ...page, project: project ?? "" }, signal),
    [project],
  );
  const { items, isLoading, fault } = sessions;
  useReloadOn(
    sessions.reload,
    ({ type }) => type.startsWith("session_") || type === "new_prompt" || type.startsWith("record_"),
  );
  return (
    <div class="page">
      <h1>
        Sessions
        {project !== null && (
          <>
            {" "}
            of <bdi>{project}</bdi>
          </>
        )}
      </h1>
      {fault && <Fault fault={fault} retry={sessions.reload} />}
      {items.length > 0 && (
        <VirtualList
          items={items}
          keyOf={({ id }) => String(id)}
          row={(session) => <SessionRow session={session} showProject={project === null} />}
          label="Sessions, newest first"
          onEnd={sessions.more}
        />
      )}
      {isLoading && <p class="quiet loading">Loading…</p>}
      {!isLoading && !fault && items.length === 0 && <NoSession project={project} />}
    </div>
  );
}

function SessionRow({ session, showProject }: { session: Session; showProject: boolean }) {
  const { id, project, host, status, prompt_count, last_active_at_epoch } = session;
  return (
    <a class="row session" href={linkTo(`/session/${id}`)} data-row data-id={id}>
      <span class={status === "active" ? "type type-feature" : "type"}>
        {status === "active" ? "active" : "ended"}
      </span>
      <span class="row-title" dir="auto">
        <InlineCode text={sessionTitle(session)} />
      </span>
      <Age at={last_active_at_epoch} />
      <span class="row-detail">
        {showProject && (
          <span class="project" dir="auto">
            {project}
          </span>
        )}
        <span>{host}</span>
        <span>{counted(prompt_count, "prompt")}</span>
      </span>
    </a>
  );
}

/** The title of a session; without one its first prompt. */
export function sessionTitle({
  title,
  user_prompt,
  claude_session_id,
}: Pick<Session, "title" | "user_prompt" | "claude_session_id">): string {
  return title || user_prompt || `Session ${claude_session_id}`;
}

function NoSession({ project }: { project: string | null }) {
  return (
    <div class="empty">
      <p>{project === null ? "No session yet." : `No session in ${project} yet.`}</p>
      <p class="quiet">
        A session appears with its first prompt. To connect an agent, run <code>mem install</code>; to see an
        example, <code>mem demo</code>.
      </p>
    </div>
  );
}
