import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";

let memory: MemoryStore;

beforeEach(() => {
  memory = createMemoryStore();
});
afterEach(() => memory.close());

test("edited paths come from the session's edits, each once, newest first", () => {
  const { sdk_session_id } = memory.addObservation({
    session: "a",
    files_modified: ["src/a.ts", "src/b.ts"],
  });
  memory.addObservation({ session: "a", files_read: ["src/read.ts"] });
  memory.addObservation({ session: "b", files_modified: ["src/other.ts"] });
  memory.addObservation({ session: "a", files_modified: ["src/c.ts"] });
  memory.addObservation({ session: "a", files_modified: ["src/a.ts"] });
  const { editedPaths } = memory.store.observations;
  expect(editedPaths(sdk_session_id, 5)).toEqual(["src/a.ts", "src/c.ts", "src/b.ts"]);
  expect(editedPaths(sdk_session_id, 1)).toEqual(["src/a.ts"]);
  expect(editedPaths("sdk-none", 5)).toEqual([]);
});
