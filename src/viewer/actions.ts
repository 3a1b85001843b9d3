// What a user does to a record: each action answers the toast that reports it, with the way back.
import type { Json } from "../text/json.ts";
import type { Reads } from "./api.ts";
import type { Kind } from "./lines.ts";
import type { Toast, Viewer } from "./viewer.ts";

type Api = Viewer["api"];
type TrashItem = Reads["/api/trash"]["items"][number];

/** Plural of a kind in the paths of the API. */
const collections = {
  observation: "observations",
  summary: "summaries",
  prompt: "prompts",
  session: "sessions",
} as const satisfies Record<Kind | "session", string>;

/** Names of kinds for people. */
export const kindNames: Record<Kind | "session", string> = {
  observation: "Observation",
  summary: "Summary",
  prompt: "Prompt",
  session: "Session",
};

/** Removes an entry of Home, in its words: `Rule`. */
export async function removeEntry(api: Api, name: string, id: number): Promise<Toast> {
  return { ...(await deleteRecord(api, "observation", id)), text: `${name} #${id} removed.` };
}

export async function deleteRecord(api: Api, kind: Kind | "session", id: number): Promise<Toast> {
  const { trash_id } = await api.delete(`/api/${collections[kind]}/${id}`);
  return { text: `${kindNames[kind]} ${id} deleted.`, undo: () => restore(api, trash_id) };
}

/** Changes texts of a record. The way back is the text before, which the trash keeps; none when nothing changed. */
export async function editRecord(
  api: Api,
  kind: Kind | "session",
  id: number,
  change: Readonly<Record<string, Json>>,
): Promise<Toast> {
  const newestEdit = async () => {
    const { items } = await api.get("/api/trash", { limit: 100 });
    return items.find((item) => item.action === "edited" && item.kind === kind && item.id === id)?.trash_id;
  };
  const before = await newestEdit();
  await api.patch(`/api/${collections[kind]}/${id}`, change);
  const edit = await newestEdit();
  const text = `${kindNames[kind]} ${id} saved.`;
  return edit === undefined || edit === before ? { text } : { text, undo: () => restore(api, edit) };
}

export async function pinObservation(api: Api, id: number, pinned: boolean): Promise<Toast> {
  const pin = (value: boolean) => api.post(`/api/observations/${id}/pin`, { pinned: value });
  await pin(pinned);
  return {
    text: pinned ? `Observation ${id} pinned: it comes first in the context.` : `Observation ${id} unpinned.`,
    undo: async () => void (await pin(!pinned)),
  };
}

export async function acceptProposal(api: Api, id: number): Promise<Toast> {
  await api.post(`/api/rules/${id}/accept`, {});
  return { text: `#${id} is a rule now: agents get it.` };
}

export async function rejectObservation(api: Api, id: number): Promise<Toast> {
  await api.post(`/api/observations/${id}/status`, { status: "rejected" });
  return {
    text: `Observation ${id} rejected: no search or context shows it.`,
    undo: () => activate(api, id),
  };
}

export async function replaceObservation(api: Api, id: number, by: number): Promise<Toast> {
  await api.post(`/api/observations/${id}/status`, { status: "superseded", superseded_by: by });
  return { text: `Observation ${id} is replaced by ${by}.`, undo: () => activate(api, id) };
}

/** Takes back a rejection or a replacement. */
export async function activateObservation(
  api: Api,
  id: number,
  before: "rejected" | "superseded",
): Promise<Toast> {
  await activate(api, id);
  return { text: `Observation ${id} is no longer ${before === "rejected" ? "rejected" : "replaced"}.` };
}

async function activate(api: Api, id: number): Promise<void> {
  await api.post(`/api/observations/${id}/status`, { status: "active" });
}

/** Restores what the trash keeps: a deleted record, or the text from before an edit. */
export async function restoreFromTrash(api: Api, { trash_id, kind, id, action }: TrashItem): Promise<Toast> {
  await restore(api, trash_id);
  const done = action === "deleted" ? "restored" : "has its earlier text again";
  return { text: `${kindNames[kind]} ${id} ${done}.` };
}

async function restore(api: Api, trashId: number): Promise<void> {
  await api.post(`/api/trash/${trashId}/restore`, {});
}
