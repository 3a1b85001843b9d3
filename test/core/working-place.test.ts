import { expect, onTestFinished, test, vi } from "vitest";
import { workingPlace } from "../../src/core/directory.ts";

test("a request from a removed directory names no directory", () => {
  expect(workingPlace()).toEqual({ cwd: process.cwd() });
  const cwd = vi.spyOn(process, "cwd").mockImplementation(() => {
    throw Object.assign(new Error("uv_cwd"), { code: "ENOENT" });
  });
  onTestFinished(() => cwd.mockRestore());
  expect(workingPlace()).toEqual({});
});
