// One record: its text, where it comes from, what may be done to it, and what happened around it.
import { useState } from "preact/hooks";
import { Shown, useLoaded, useReloadOn } from "../answer.tsx";
import { ageOf, fullTime, useNow } from "../clock.ts";
import { type Kind, kinds, projectIn, recordLink } from "../lines.ts";
import type { PageProps } from "../links.ts";
import { go } from "../location.ts";
import { InlineCode } from "../parts/inline-code.tsx";
import { Missing, Nothing } from "../parts/missing.tsx";
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
  return (
    <div class="page">
      <Nothing title="There is no such record">
        Records are observations, summaries and prompts, each with its number: “{parts.kind} {parts.id}” is
        none of them.
      </Nothing>
    </div>
  );
}

function RecordView({ kind, id, isEditing }: { kind: Kind; id: number; isEditing: boolean }) {
  const { api } = useViewer();
  const loaded = useLoaded((signal) => readRecord(api, kind, id, signal), [kind, id]);
  // The timeline waits for what stands above it, and does not jump.
  const [isSettled, setIsSettled] = useState(false);
  const edit = (is: boolean) =>
    go(is ? `${recordLink(kind, id)}?edit=1` : recordLink(kind, id), { replace: true });
  useReloadOn(loaded.reload, (event) => concerns(event, kind, id));
  // A form with text stays, whatever becomes of its record.
  if (loaded.fault?.code === "not_found" && !(isEditing && loaded.value))
    return (
      <div class="page">
        <Missing kind={kind} id={id} onRestored={loaded.reload} />
      </div>
    );
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
                <RecordBody found={found} onSettled={() => setIsSettled(true)} />
              </>
            )}
            {(isEditing || isSettled) && <RecordTimeline kind={kind} id={id} />}
          </>
        )}
      </Shown>
    </div>
  );
}

function RecordHead({ found }: { found: AnyRecord }) {
  const line = lineOf(found);
  const { type, kind, title, at, id, marks } = line;
  const now = useNow();
  return (
    <header class="record-head">
      <p class="record-meta">
        <TypeBadge type={type} kind={kind} />
        <span class="project" dir="auto">
          {projectIn(line)}
        </span>
        <span title={fullTime(at)}>{ageOf(at, now)}</span>
        <span>#{id}</span>
        {marks.map((mark) => (
          <span key={mark} class={`mark ${mark}`}>
            {mark}
          </span>
        ))}
      </p>
      <h1 dir="auto">{kind === "prompt" ? `Prompt ${id}` : <InlineCode text={title} />}</h1>
    </header>
  );
}
