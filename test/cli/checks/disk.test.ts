import { join } from "node:path";
import { expect, test } from "vitest";
import { checkDisk } from "../../../src/cli/checks/disk.ts";
import { dataPaths } from "../../../src/core/paths.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("a disk with little room is broken, and the next step names it", () => {
  const paths = dataPaths("/srv/mem");
  expect(checkDisk(paths, 400_000)).toEqual({
    name: "Disk",
    state: "fail",
    message: "Only 400 kB free on the disk of /srv/mem: events may be lost.",
    next: "Free some space there: df -h /srv/mem",
  });
  expect(checkDisk(paths, 10_000_000)).toEqual({ name: "Disk", state: "ok", message: "10.0 MB free" });
});

test("the disk of a directory that is not made yet is looked at", () => {
  expect(checkDisk(dataPaths(join(tempDir(), "not", "made")))).toMatchObject({
    state: "ok",
    message: expect.stringMatching(/free$/),
  });
});

test("a file system that has no size is no fault", () => {
  expect(checkDisk(dataPaths("/srv/mem"), null).state).toBe("ok");
});
