// Where a hook looks: where the worker and the command line look.
import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import { hookDataDir } from "../../src/hook/data-dir.ts";
import { dataPaths } from "../../src/paths.ts";
import { dataDirectory } from "../../src/settings/data-dir.ts";

describe("the data directory", () => {
  const named = [undefined, "", "/srv/mem", "/srv/mem/", " /srv/mem ", "~", "~/memory", "/srv/with a space"];
  test.each(named)("of %j is that of the command line", async (MEM_DATA_DIR) => {
    const environment = { HOME: homedir(), MEM_DATA_DIR };
    const found = await hookDataDir(environment);
    expect(found && dataPaths(found).root).toBe(dataDirectory(environment));
  });

  test.each(["memory", "./memory", "../memory", "~other/memory"])("is none for %j", async (MEM_DATA_DIR) => {
    expect(await hookDataDir({ HOME: "/home/user", MEM_DATA_DIR })).toBeNull();
  });
});
