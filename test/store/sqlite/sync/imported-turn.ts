// A turn of a transcript in a session that was recorded here, as an import adds it.
import { type MemoryStore, someTime } from "../../../helpers/memory-store.ts";

export function addImportedTurn(memory: MemoryStore, session: string, project = "app"): void {
  const at = someTime - 500;
  const { prompt_number } = memory.addPrompt("Only the transcript has it.", { project, session, at });
  memory.db
    .prepare(
      `insert into raw_events (session_id, kind, event_key, payload, created_at_epoch, imported_at_epoch)
       select id, 'observation', 'imported', '{}', ?, ? from sessions where claude_session_id = ?`,
    )
    .run(at, someTime + 2, session);
  memory.addObservation({ project, session, title: "imported", prompt_number, at });
}
