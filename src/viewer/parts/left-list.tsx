// Why an entry left its list while its form was open: it was deleted, replaced or rejected meanwhile.
import { restoreFromTrash } from "../actions.ts";
import { useLoaded } from "../answer.tsx";
import type { Api, Reads } from "../api.ts";
import { ApiFault } from "../faults.ts";
import { recordLink } from "../lines.ts";
import { useViewer } from "../viewer.ts";

interface LeftListProps {
  /** Of its observation. */
  id: number;
  /** For people: `Rule`. */
  name: string;
}

export function LeftList({ id, name }: LeftListProps) {
  const viewer = useViewer();
  const { value } = useLoaded((signal) => fateOf(viewer.api, id, signal), [id]);
  const entry = value?.entry;
  return (
    <p class="note" role="status">
      {name} #{id} {value?.words ?? "is no longer in this list"}
      {value?.by && <a href={recordLink("observation", value.by)}>#{value.by}</a>}. Your text is still here.{" "}
      {entry && (
        <button
          type="button"
          class="link"
          onClick={() => void viewer.act(() => restoreFromTrash(viewer.api, entry))}
        >
          Restore it to save
        </button>
      )}
    </p>
  );
}

interface Fate {
  words: string;
  /** The observation that replaces it. */
  by?: number | null;
  /** In the trash. */
  entry?: Reads["/api/trash"]["items"][number] | undefined;
}

async function fateOf(api: Api, id: number, signal: AbortSignal): Promise<Fate> {
  try {
    const { status, superseded_by } = await api.get(`/api/observation/${id}`, {}, signal);
    if (status === "rejected") return { words: "was rejected meanwhile" };
    if (status === "superseded") return { words: "was replaced meanwhile by ", by: superseded_by };
    return { words: "is no longer in this list" };
  } catch (error) {
    if (!(error instanceof ApiFault && error.code === "not_found")) throw error;
    const { items } = await api.get("/api/trash", { kind: "observation", id }, signal);
    return { words: "was deleted meanwhile", entry: items[0] };
  }
}
