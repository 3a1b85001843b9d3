import { describe, expect, test } from "vitest";
import { primaryModel, secondaryModel } from "../../../src/generate/providers/model-names.ts";
import { settingsTable } from "../../../src/settings/table.ts";

describe("every model that the settings allow has its full id", () => {
  test("of primary", () => {
    expect(settingsTable.MEM_MODEL.values.map((name) => primaryModel(name).id)).toEqual([
      "claude-haiku-4-5-20251001",
      "claude-sonnet-5",
      "claude-opus-4-8",
    ]);
  });

  test("of secondary", () => {
    expect(settingsTable.MEM_SECONDARY_MODEL.values.map((name) => secondaryModel(name).id)).toEqual([
      "gemini-flash-latest",
      "gemini-flash-lite-latest",
      "gemini-3.5-flash",
      "gemini-3.1-flash-lite",
      "gemini-3-flash-preview",
    ]);
  });

  test("a full id stays as it is", () => {
    expect(primaryModel("claude-sonnet-5").id).toBe("claude-sonnet-5");
    expect(secondaryModel("gemini-3.5-flash").id).toBe("gemini-3.5-flash");
  });
});
