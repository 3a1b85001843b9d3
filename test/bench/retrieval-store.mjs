// The documents of the retrieval sets as observations of a real database. They go in through the product's own store:
// the record route stamps its own time and takes one at a time, and sessions, order and times are part of the sets.
import { importBundle } from "./bundle.mjs";

/** The product's modules that the retrieval benches use in process. */
export function productModules() {
  return importBundle(
    "retrieval",
    `export { openDatabase, closeDatabase } from "./src/store/sqlite/open.ts";
     export { createStore } from "./src/store/sqlite/store.ts";
     export { createCandidates } from "./src/store/sqlite/candidates.ts";
     export { createSearchIndex } from "./src/store/sqlite/search-index.ts";
     export { buildMatch } from "./src/recall/query.ts";
     export { gatherCandidates, observationColumns } from "./src/recall/rank-observations.ts";
     export { signalsOf, signalWeights } from "./src/recall/fusion.ts";
     export { projectToken } from "./src/core/records/scope-token.ts";`,
  );
}

/** Writes the documents in their order; returns the key of each observation by its id. */
export function writeDocuments({ db, store }, documents) {
  const sessions = new Map();
  const keys = new Map();
  const write = db.transaction((some) => {
    for (const document of some) keys.set(add(store, sessions, document), document.key);
  });
  for (let n = 0; n < documents.length; n += 500) write.immediate(documents.slice(n, n + 500));
  for (const { id, at } of sessions.values()) store.sessions.complete(id, at);
  return keys;
}

function add(store, sessions, { project, session, at, title, narrative, facts, files }) {
  if (!sessions.has(session)) {
    const id = store.sessions.insert({
      claude_session_id: session,
      sdk_session_id: `sdk-${session}`,
      project,
      host: "api",
      cwd: null,
      now: at,
    });
    sessions.set(session, { id, at });
  }
  const stored = store.observations.insert({
    draft: {
      obs_type: "discovery",
      title,
      subtitle: null,
      summary: title,
      narrative: narrative === "" ? null : narrative,
      facts,
      concepts: [],
      files_read: [],
      files_modified: files,
      provenance: "file",
    },
    sources: [],
    session_id: sessions.get(session).id,
    sdk_session_id: `sdk-${session}`,
    project,
    prompt_number: 1,
    generator: "local",
    agent_id: null,
    agent_type: null,
    discovery_tokens: 0,
    generation_key: null,
    created_at_epoch: at,
  });
  return stored.id;
}
