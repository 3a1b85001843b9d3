// The trash: what was deleted and edited, each with its way back.
import { useState } from "preact/hooks";
import { kindNames, restoreFromTrash } from "../actions.ts";
import { Shown, useLoaded, useReloadOn } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { fullTime } from "../clock.ts";
import { useValue } from "../observable.ts";
import { InlineCode } from "../parts/inline-code.tsx";
import { Age } from "../parts/record-row.tsx";
import { useViewer } from "../viewer.ts";

type Entry = Reads["/api/trash"]["items"][number];

const pageSize = 50;

export function TrashPage() {
  const { api, project: chosen } = useViewer();
  const project = useValue(chosen);
  const [offset, setOffset] = useState(0);
  const query = { project: project ?? undefined, limit: pageSize, offset };
  const loaded = useLoaded((signal) => api.get("/api/trash", query, signal), [project, offset]);
  useReloadOn(loaded.reload, ({ type }) => type === "record_deleted" || type === "record_restored");
  return (
    <div class="page">
      <div>
        <h1>Trash</h1>
        <p class="quiet">Deleted records, and texts from before an edit. They are kept for 30 days.</p>
      </div>
      <Shown of={loaded}>
        {({ items, hasMore }) => (
          <>
            {items.length === 0 && (
              <div class="empty">
                <p>Nothing is in the trash.</p>
              </div>
            )}
            <ol class="panel trash">
              {items.map((entry) => (
                <li key={entry.trash_id}>
                  <TrashRow entry={entry} onRestored={loaded.reload} />
                </li>
              ))}
            </ol>
            <div class="buttons">
              {offset > 0 && (
                <button type="button" onClick={() => setOffset(offset - pageSize)}>
                  Newer
                </button>
              )}
              {hasMore && (
                <button type="button" onClick={() => setOffset(offset + pageSize)}>
                  Older
                </button>
              )}
            </div>
          </>
        )}
      </Shown>
    </div>
  );
}

function TrashRow({ entry, onRestored }: { entry: Entry; onRestored: () => void }) {
  const viewer = useViewer();
  const { trash_id, kind, id, action, title, project, at_epoch, undo_until_epoch } = entry;
  async function putBack(): Promise<void> {
    if (await viewer.act(() => restoreFromTrash(viewer.api, entry))) onRestored();
  }
  return (
    <div class="panel-row trash-row">
      <div>
        <p dir="auto">
          <InlineCode text={title} />
        </p>
        <p class="row-detail">
          <span class="project" dir="auto">
            {project}
          </span>
          <span>
            {kindNames[kind]} {id} {action}
          </span>
          <Age at={at_epoch} />
          <span>kept until {fullTime(undo_until_epoch)}</span>
        </p>
      </div>
      <button
        type="button"
        data-row
        onClick={() => void putBack()}
        aria-label={`Restore ${title} (${trash_id})`}
      >
        {action === "deleted" ? "Restore" : "Undo the edit"}
      </button>
    </div>
  );
}
