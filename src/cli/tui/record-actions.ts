// What a user does to a record: each action answers what happened, with the way back.
import type { WorkerClient } from "../../client/worker-client.ts";
import { counted } from "../../text/quantities.ts";
import { restoreError } from "../restore-error.ts";
import type { Action, Said } from "./state.ts";

/** Does it. Throws the worker's error. */
export async function perform(worker: WorkerClient, action: Action): Promise<Said> {
  switch (action.do) {
    case "pin":
      return pin(worker, action);
    case "reject":
      await worker.setStatus(action.id, { status: "rejected" });
      return done(`Observation ${action.id} rejected: no search or context shows it.`, {
        do: "activate",
        id: action.id,
      });
    case "accept":
      await worker.acceptRule(action.id);
      return done(`#${action.id} is a rule now: agents get it.`);
    case "replace":
      await worker.setStatus(action.id, { status: "superseded", superseded_by: action.by });
      return done(`Observation ${action.id} is replaced by ${action.by}.`, { do: "activate", id: action.id });
    case "activate":
      await worker.setStatus(action.id, { status: "active" });
      return done(`Observation ${action.id} is active again.`);
    case "delete": {
      const { kind, id } = action;
      const { trash_id } = await worker.deleteRecord(kind, id);
      const what = `${kindNames[kind]} ${id}`;
      return done(`${what} deleted.`, { do: "restore", trashId: trash_id, what });
    }
    case "restore":
      return restore(worker, action);
    case "retry": {
      const { retried } = await worker.retryQueued(
        action.ids === null ? { failed: true } : { ids: action.ids },
      );
      return done(retried === 0 ? "No messages to retry." : `Retrying ${counted(retried, "message")}.`);
    }
    case "drop": {
      const { dropped } = await worker.dropQueued({ ids: [action.id] });
      return done(dropped === 0 ? "No messages to drop." : `Dropped ${counted(dropped, "message")}.`);
    }
    default:
      return action satisfies never;
  }
}

const kindNames = {
  observation: "Observation",
  summary: "Summary",
  prompt: "Prompt",
  session: "Session",
} as const;

async function pin(worker: WorkerClient, { id, pinned }: Extract<Action, { do: "pin" }>): Promise<Said> {
  await worker.setPin(id, pinned);
  const text = pinned
    ? `Observation ${id} pinned: it comes first in the context.`
    : `Observation ${id} unpinned.`;
  return done(text, { do: "pin", id, pinned: !pinned });
}

async function restore(
  worker: WorkerClient,
  { trashId, what }: Extract<Action, { do: "restore" }>,
): Promise<Said> {
  const { left = 0 } = await worker.restore(trashId).catch((thrown: unknown) => {
    throw restoreError(thrown);
  });
  const rest = left === 0 ? "" : ` ${counted(left, "entry", "entries")} cannot be restored now.`;
  return done(`${what} restored.${rest}`);
}

function done(text: string, undo: Action | null = null): Said {
  return { text, tone: "good", undo };
}
