// The marker of an installation, compared with what runs.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installNotice } from "../../src/worker/notices.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("hooks of another version are reported with the next step", () => {
  const file = join(tempDir(), "marker");
  expect(installNotice(file, "2.0.0")).toBeNull();
  writeFileSync(file, "2.0.0\n");
  expect(installNotice(file, "2.0.0")).toBeNull();
  writeFileSync(file, "1.0.0\n");
  const notice = installNotice(file, "2.0.0");
  expect(notice).toContain("version 1.0.0, the worker is 2.0.0");
  expect(notice).toContain("`mem repair`");
});
