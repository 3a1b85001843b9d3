// What a toast can take back, against a worker that answers from a list.
import { afterEach, expect, test, vi } from "vitest";
import { editRecord } from "../../src/viewer/actions.ts";
import { createApi } from "../../src/viewer/api.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A worker in which `edits` is the trash, newest first, and each PATCH adds the entry that `adds` names. */
function workerWith(edits: number[], adds: number | null): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string, { method = "GET" }: RequestInit = {}) => {
    asked.push(`${method} ${path}`);
    if (method === "PATCH" && adds !== null) edits.unshift(adds);
    const items = edits.map((trash_id) => ({ trash_id, kind: "observation", id: 7, action: "edited" }));
    return Promise.resolve(Response.json({ items, hasMore: false }));
  });
  return asked;
}

test("an edit is taken back by its own entry of the trash, whatever was edited since", async () => {
  const edits = [3];
  const asked = workerWith(edits, 4);
  const { undo } = await editRecord(createApi(), "observation", 7, { title: "New" });
  edits.unshift(5);
  await undo?.();
  expect(asked.at(-1)).toBe("POST /api/trash/4/restore");
});

test("an edit that changed nothing leaves the edit before it alone", async () => {
  workerWith([3], null);
  const { undo } = await editRecord(createApi(), "observation", 7, { title: "As it is" });
  expect(undo).toBeUndefined();
});
