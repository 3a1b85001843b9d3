// Where a hook looks: where the worker and the command line look.
import { homedir } from "node:os";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dataPaths } from "../../../src/core/paths.ts";
import { hookDataDir } from "../../../src/hosts/hook/hook-call.ts";
import { dataDirectory } from "../../../src/settings/data-dir.ts";

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

  describe.each(["", "home"])("without an absolute home, which is %j,", (HOME) => {
    beforeEach(() => void vi.stubEnv("HOME", HOME));
    afterEach(() => void vi.unstubAllEnvs());

    test.each([undefined, "~", "~/memory"])("is none for %j, here and there", async (MEM_DATA_DIR) => {
      expect(await hookDataDir({ HOME, MEM_DATA_DIR })).toBeNull();
      expect(() => dataDirectory({ MEM_DATA_DIR })).toThrow(`The home directory is "${HOME}"`);
    });

    test("is the one that is named in full", async () => {
      const environment = { HOME, MEM_DATA_DIR: "/srv/mem" };
      expect(await hookDataDir(environment)).toBe("/srv/mem");
      expect(dataDirectory(environment)).toBe("/srv/mem");
    });
  });
});
