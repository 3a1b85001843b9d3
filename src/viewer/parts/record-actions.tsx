// What the user may do to a record: edit, pin, replace, reject, delete; each with its key and its way back.
import { useState } from "preact/hooks";
import {
  activateObservation,
  deleteRecord,
  pinObservation,
  rejectObservation,
  replaceObservation,
} from "../actions.ts";
import { useKeys } from "../keys.ts";
import { goBack } from "../location.ts";
import type { AnyRecord, ObservationRecord } from "../records.ts";
import { type Toast, useViewer } from "../viewer.ts";
import { RecordPicker } from "./record-picker.tsx";

export function RecordActions({ found, onEdit }: { found: AnyRecord; onEdit: () => void }) {
  const viewer = useViewer();
  const { kind } = found;
  const { id } = found.record;
  async function remove(): Promise<void> {
    if (!(await viewer.act(() => deleteRecord(viewer.api, kind, id)))) return;
    // The record is gone from where the reader came from, too.
    goBack();
  }
  useKeys([
    { keys: "e", what: "Edit the record", run: onEdit },
    { keys: "x", what: "Delete the record", run: () => void remove() },
  ]);
  return (
    <div class="record-actions">
      <div class="buttons">
        <button type="button" aria-keyshortcuts="e" onClick={onEdit}>
          Edit <kbd>e</kbd>
        </button>
        {found.kind === "observation" && <ReviewButtons record={found.record} />}
        <button type="button" class="danger" aria-keyshortcuts="x" onClick={() => void remove()}>
          Delete <kbd>x</kbd>
        </button>
      </div>
    </div>
  );
}

function ReviewButtons({ record }: { record: ObservationRecord }) {
  const viewer = useViewer();
  const { api } = viewer;
  const { id, pinned, status } = record;
  const [isReplacing, setIsReplacing] = useState(false);
  const act = (action: () => Promise<Toast>) => void viewer.act(action);
  const pin = () => act(() => pinObservation(api, id, pinned === 0));
  async function replaceBy(other: number): Promise<void> {
    if (await viewer.act(() => replaceObservation(api, id, other))) setIsReplacing(false);
  }
  useKeys([{ keys: "p", what: pinned === 1 ? "Unpin the record" : "Pin the record", run: pin }]);
  if (status !== "active")
    return (
      <button type="button" onClick={() => act(() => activateObservation(api, id, status))}>
        {status === "rejected" ? "Take the rejection back" : "Take the replacement back"}
      </button>
    );
  return (
    <>
      <button type="button" aria-keyshortcuts="p" aria-pressed={pinned === 1} onClick={pin}>
        {pinned === 1 ? "Unpin" : "Pin"} <kbd>p</kbd>
      </button>
      <button type="button" aria-expanded={isReplacing} onClick={() => setIsReplacing(!isReplacing)}>
        Replace
      </button>
      <button type="button" onClick={() => act(() => rejectObservation(api, id))}>
        Reject
      </button>
      {isReplacing && (
        <RecordPicker
          label="Replaced by"
          record={record}
          onPick={(other) => void replaceBy(other)}
          onCancel={() => setIsReplacing(false)}
        />
      )}
    </>
  );
}
