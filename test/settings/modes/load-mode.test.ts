import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { observationConcepts, observationTypes } from "../../../src/core/records/records.ts";
import { listModes, loadActiveMode, loadMode } from "../../../src/settings/modes/load-mode.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

function withModes(modes: Record<string, unknown>): { dataDir: string } {
  const dataDir = tempDir();
  mkdirSync(join(dataDir, "modes"));
  for (const [name, mode] of Object.entries(modes)) {
    const text = typeof mode === "string" ? mode : JSON.stringify(mode);
    writeFileSync(join(dataDir, "modes", `${name}.json`), text);
  }
  return { dataDir };
}

const word = (id: string) => ({ id, label: id, description: `about ${id}` });
const diary = {
  title: "Diary",
  description: "A day in a life.",
  language: "English",
  types: [word("meal"), word("walk")],
  concepts: [],
  role: "You keep a diary.",
  keep: "Keep joys.",
  skip: "Skip weather.",
  writing: "Write warmly.",
  summary: {
    request: "a",
    investigated: "b",
    learned: "c",
    completed: "d",
    next_steps: "e",
    notes: "f",
  },
};

describe("shipped", () => {
  const shipped = listModes();

  test.each(shipped)("$name is valid", ({ name, problem }) => {
    expect(problem).toBeNull();
    expect(loadMode(name).name).toBe(name);
  });

  test("code has the types and concepts of the contract", () => {
    const { types, concepts } = loadMode("code");
    expect(types.map(({ id }) => id)).toEqual(observationTypes);
    expect(concepts.map(({ id }) => id)).toEqual(observationConcepts);
  });

  test("code has at least nine more languages, email-investigation its own words", () => {
    const languages = new Set(
      shipped.filter(({ name }) => name.startsWith("code--")).map((mode) => mode.language),
    );
    expect(languages.size).toBeGreaterThanOrEqual(10);
    expect(languages).toContain("español");
    expect(loadMode("email-investigation").types.map(({ id }) => id)).toContain("contradiction");
  });

  test.each(shipped.filter(({ name }) => name.startsWith("code--")))(
    "$name keeps the ids of code",
    ({ name }) => {
      const mode = loadMode(name);
      const code = loadMode("code");
      expect(mode.types).toEqual(code.types);
      expect(mode.concepts).toEqual(code.concepts);
      expect(mode.writing).not.toBe(code.writing);
      for (const field of ["title", "narrative", "type", "concepts"]) expect(mode.writing).toContain(field);
    },
  );
});

describe("a user's own modes", () => {
  test("are found, listed, and go before shipped ones of the same name", () => {
    const source = withModes({ diary, code: { ...diary, title: "My code" } });
    expect(loadMode("diary", source).types.map(({ id }) => id)).toEqual(["meal", "walk"]);
    expect(loadMode("code", source).title).toBe("My code");
    expect(loadMode("code").title).toBe("Code");
    const listed = listModes(source).filter((mode) => mode.source === "own");
    expect(listed.map(({ name }) => name)).toEqual(["code", "diary"]);
  });

  test("overlay their parent deeply: words by id, the rest by name", () => {
    const source = withModes({
      "code--mine": {
        keep: "Keep risks.",
        types: [{ id: "bugfix", label: "Mended" }, word("risk")],
        summary: { notes: "risks" },
      },
    });
    const mine = loadMode("code--mine", source);
    const code = loadMode("code");
    expect(mine.types.map(({ id }) => id)).toEqual([...observationTypes, "risk"]);
    expect(mine.types[2]).toEqual({ ...code.types[2], label: "Mended" });
    expect(mine).toMatchObject({ title: "Code", keep: "Keep risks.", role: code.role });
    expect(mine.summary).toEqual({ ...code.summary, notes: "risks" });
  });

  test("a shipped overlay lies over the user's own parent", () => {
    const source = withModes({ code: diary });
    expect(loadMode("code--es", source)).toMatchObject({ role: diary.role, language: "español" });
  });
});

describe("a mode that cannot be used", () => {
  const broken: [string, unknown, string][] = [
    ["no JSON", "{", "is not valid JSON"],
    ["no object", "[]", "must hold one JSON object"],
    ["a missing field", { ...diary, keep: undefined }, "keep is missing, it takes a text of 1 to 2000"],
    ["an empty text", { ...diary, role: "  " }, "role must be a text of 1 to 2000"],
    ["a text too long", { ...diary, title: "x".repeat(61) }, "title must be a text of 1 to 60"],
    ["a number for a text", { ...diary, role: 1 }, "role must be a text"],
    ["no types", { ...diary, types: [] }, "types must be a list of 1 to 24"],
    ["a bad id", { ...diary, types: [word("Meal Time")] }, "types[0].id must be an id: small letters"],
    [
      "a word without description",
      { ...diary, types: [{ id: "a", label: "A" }] },
      "types[0].description is missing",
    ],
    ["an id twice", { ...diary, types: [word("meal"), word("meal")] }, "the id meal stands there twice"],
    ["an unknown field", { ...diary, colour: 1 }, "it has the unknown field colour"],
    [
      "an unknown part",
      { ...diary, summary: { ...diary.summary, mood: "x" } },
      "summary has the unknown field mood",
    ],
    ["no summary", { ...diary, summary: undefined }, "summary is missing, it takes an object"],
    ["a file too large", JSON.stringify({ ...diary, role: "x".repeat(200_000) }), "larger than 128 kB"],
  ];
  test.each(broken)("names its file, the field and what is expected: %s", (_what, mode, sentence) => {
    const source = withModes({ diary: mode });
    const path = join(source.dataDir, "modes", "diary.json");
    expect(() => loadMode("diary", source)).toThrow(
      expect.objectContaining({ code: "mode_invalid", message: expect.stringContaining(path) }),
    );
    expect(() => loadMode("diary", source)).toThrow(sentence);
    expect(listModes(source).find(({ name }) => name === "diary")?.problem).toContain(sentence);
  });

  test("an overlay that adds a word without its description names the overlay", () => {
    const source = withModes({ "code--mine": { types: [{ id: "risk", label: "Risk" }] } });
    expect(() => loadMode("code--mine", source)).toThrow(
      /code--mine\.json: types\[6\]\.description is missing/,
    );
  });

  test("a folder at the path of a mode file is no mode", () => {
    const source = withModes({});
    mkdirSync(join(source.dataDir, "modes", "diary.json"));
    expect(() => loadMode("diary", source)).toThrow("is no file");
  });

  test.each(["cod", "code--xx", "code--es--de", "../code", "", "CODE", "nobody--es"])(
    "the name %j is unknown",
    (name) => {
      expect(() => loadMode(name, withModes({}))).toThrow(expect.objectContaining({ code: "mode_unknown" }));
    },
  );

  test.each(["nothing-of-that-name", "diary"])("%s is one warning, and code is used", (name) => {
    const source = withModes({ diary: "{", code: "{" });
    const { mode, warnings } = loadActiveMode(name, source);
    expect(mode).toEqual(loadMode("code"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(name);
    expect(loadActiveMode("chill")).toEqual({ mode: loadMode("chill"), warnings: [] });
  });
});
