// One record: its text, where it comes from, what may be done to it, and what happened around it.
import { Fault, Shown, useLoaded, useReloadOn } from "../answer.tsx";
import { ApiFault } from "../api.ts";
import { ageOf, fullTime, useNow } from "../clock.ts";
import { type Kind, kinds, recordLink } from "../lines.ts";
import type { PageProps } from "../links.ts";
import { go } from "../location.ts";
import { RecordActions } from "../parts/record-actions.tsx";
import { RecordBody } from "../parts/record-body.tsx";
import { RecordForm } from "../parts/record-form.tsx";
import { TypeBadge } from "../parts/record-row.tsx";
import { RecordTimeline } from "../parts/record-timeline.tsx";
import { type AnyRecord, concerns, lineOf, readRecord } from "../records.ts";
import { useViewer } from "../viewer.ts";

export function RecordPage({ parts, query }: PageProps) {
  const kind = kinds.find((each) => each === parts.kind);
  const id = Number(parts.id);
  if (kind !== undefined && Number.isSafeInteger(id) && id > 0)
    return <RecordView kind={kind} id={id} isEditing={query.has("edit")} />;
  const message = `There is no record ${parts.kind} ${parts.id}.`;
  return (
    <div class="page">
      <Fault fault={new ApiFault("not_found", message, "Search for it, or open it from a list.")} />
    </div>
  );
}

function RecordView({ kind, id, isEditing }: { kind: Kind; id: number; isEditing: boolean }) {
  const { api } = useViewer();
  const loaded = useLoaded((signal) => readRecord(api, kind, id, signal), [kind, id]);
  const edit = (is: boolean) =>
    go(is ? `${recordLink(kind, id)}?edit=1` : recordLink(kind, id), { replace: true });
  useReloadOn(loaded.reload, (event) => concerns(event, kind, id));
  return (
    <div class="page record">
      <Shown of={loaded}>
        {(found) => (
          <>
            <RecordHead found={found} />
            {isEditing ? (
              <RecordForm found={found} onDone={() => edit(false)} />
            ) : (
              <>
                <RecordActions found={found} onEdit={() => edit(true)} />
                <RecordBody found={found} />
              </>
            )}
            <RecordTimeline kind={kind} id={id} />
          </>
        )}
      </Shown>
    </div>
  );
}

function RecordHead({ found }: { found: AnyRecord }) {
  const { type, kind, title, project, at, id, marks } = lineOf(found);
  const now = useNow();
  return (
    <header class="record-head">
      <p class="record-meta">
        <TypeBadge type={type} kind={kind} />
        <span class="project">{project}</span>
        <span title={fullTime(at)}>{ageOf(at, now)}</span>
        <span>#{id}</span>
        {marks.map((mark) => (
          <span key={mark} class={`mark ${mark}`}>
            {mark}
          </span>
        ))}
      </p>
      <h1 dir="auto">{kind === "prompt" ? `Prompt ${id}` : title}</h1>
    </header>
  );
}
