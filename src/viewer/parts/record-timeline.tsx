// What happened before and after a record.
import { useState } from "preact/hooks";
import { Shown, useLoaded } from "../answer.tsx";
import { type Kind, lineKey, lineName, timelineLines } from "../lines.ts";
import { useViewer } from "../viewer.ts";
import { RecordRow } from "./record-row.tsx";

const firstDepth = 5;
const nextDepth = 50;

export function RecordTimeline({ kind, id }: { kind: Kind; id: number }) {
  const { api } = useViewer();
  const [depth, setDepth] = useState(firstDepth);
  const anchor = lineName({ kind, id });
  const query = { anchor, depth_before: depth, depth_after: depth };
  const loaded = useLoaded((signal) => api.get("/api/timeline", query, signal), [anchor, depth]);
  return (
    <section aria-labelledby="timeline-title" class="record-timeline">
      <h2 id="timeline-title">Before and after</h2>
      <Shown of={loaded}>
        {(items) => (
          <ol class="rows">
            {timelineLines(items).map((line) => (
              <li key={line.key}>
                <RecordRow line={line} showProject={false} isAnchor={line.key === lineKey(kind, id)} />
              </li>
            ))}
          </ol>
        )}
      </Shown>
      {depth === firstDepth && (
        <button type="button" onClick={() => setDepth(nextDepth)}>
          Show more
        </button>
      )}
    </section>
  );
}
