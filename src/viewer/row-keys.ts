// Keys that do to the focused row of a list what they do on the page of its record.
import { deleteRecord, pinObservation } from "./actions.ts";
import { focusRow, useKeys } from "./keys.ts";
import { type Kind, kinds, recordLink } from "./lines.ts";
import { parsePlace } from "./links.ts";
import { go } from "./location.ts";
import { useViewer } from "./viewer.ts";

interface FocusedRecord {
  kind: Kind;
  id: number;
}

/** The record of the row that has the focus; undefined without one. */
export function focusedRecord(): FocusedRecord | undefined {
  const row = document.activeElement?.closest("main [data-row]");
  const { path } = parsePlace(row?.getAttribute("href") ?? "");
  const [, page, kind, id] = path.split("/");
  const known = kinds.find((each) => each === kind);
  return page === "record" && known !== undefined ? { kind: known, id: Number(id) } : undefined;
}

/** Edit, pin and delete. A page that has one of these keys for something else leaves them to a focused row. */
export function useRowKeys(): void {
  const { api, act } = useViewer();
  const on = (keys: string, what: string, run: (record: FocusedRecord) => Promise<void> | void) => ({
    keys,
    what,
    when: () => focusedRecord() !== undefined,
    run() {
      const record = focusedRecord();
      if (record !== undefined) void run(record);
    },
  });
  useKeys([
    on("e", "Edit the focused record", ({ kind, id }) => go(`${recordLink(kind, id)}?edit=1`)),
    on("p", "Pin or unpin the focused observation", async ({ kind, id }) => {
      if (kind !== "observation") return;
      await act(async () => {
        const { pinned } = await api.get(`/api/observation/${id}`);
        return pinObservation(api, id, pinned === 0);
      });
    }),
    on("x", "Delete the focused record", async ({ kind, id }) => {
      const row = document.activeElement;
      focusRow(1);
      if (document.activeElement === row) focusRow(-1);
      await act(() => deleteRecord(api, kind, id));
    }),
  ]);
}
