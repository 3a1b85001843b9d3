// `mem folders` where there are no context files.
import { expect, test } from "vitest";
import { servedMem } from "../mem.ts";

test("an empty list names the command that turns context files on, or writes them", async () => {
  const mem = servedMem();
  const off = await mem("folders");
  expect(off).toMatchObject({ code: 0, stdout: "" });
  expect(off.stderr).toContain("`mem settings set MEM_FOLDER_CONTEXT_ENABLED true`");
  await mem("settings", "set", "MEM_FOLDER_CONTEXT_ENABLED", "true");
  const on = await mem("folders", "list");
  expect(on).toMatchObject({ code: 0, stdout: "" });
  expect(on.stderr).toContain("`mem folders refresh`");
  expect(JSON.parse((await mem("folders", "--json")).stdout)).toEqual({ items: [] });
});
