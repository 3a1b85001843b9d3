import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createFolders,
  type FolderFile,
  type Folders,
  type FoldersPort,
} from "../../../src/context/folders/folders.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { payloads } from "../injection-payloads.ts";

let root: string;
let outside: string;
let folders: Folders;
let files: Map<string, FolderFile>;
let records: ReturnType<FoldersPort["records"]>;

beforeEach(() => {
  root = join(tempDir(), "app");
  outside = tempDir();
  mkdirSync(join(root, "src", "deep"), { recursive: true });
  files = new Map();
  records = [];
  folders = createFolders(
    {
      records: () => records,
      folderOf: (project) => (project === "app" ? root : null),
      labels: () => ["app", "unknown"],
      files: () => [...files.values()],
      remember: async (file) => void files.set(file.path, file),
      forget: async (path) => void files.delete(path),
    },
    () => 7,
  );
});

function record(path: string, title = "Kept the query"): void {
  const id = records.length + 1;
  records.unshift({ id, title, obs_type: "bugfix", created_at_epoch: Date.UTC(2026, 10, 20), path });
}

const contextFile = (...parts: string[]) => join(root, ...parts, "CLAUDE.md");
const textOf = (path: string) => readFileSync(path, "utf8");

describe("a refresh", () => {
  test("lists in each folder only the records of files directly in it", async () => {
    record(join(root, "src", "a.ts"), "First");
    record("src/b.ts", "Second");
    record(join(root, "src", "deep", "c.ts"), "Deep");
    record(join(root, "top.ts"), "Top");
    expect((await folders.refresh()).written).toEqual([contextFile("src", "deep"), contextFile("src")]);
    const lines = textOf(contextFile("src")).split("\n");
    expect(lines.slice(3, -3)).toEqual([
      "- #2 2026-11-20 b.ts, bugfix: Second",
      "- #1 2026-11-20 a.ts, bugfix: First",
    ]);
    expect(existsSync(contextFile())).toBe(false);
    expect(folders.list()).toMatchObject([{ is: "there" }, { is: "there", project: "app" }]);
  });

  test("writes nothing without a change, and removes sections without records", async () => {
    record(join(root, "src", "a.ts"));
    await folders.refresh("app");
    const before = statSync(contextFile("src")).ino;
    expect(await folders.refresh("app")).toEqual({ written: [], removed: [], left: [] });
    expect(statSync(contextFile("src")).ino).toBe(before);
    records = [];
    expect(await folders.refresh("app")).toEqual({ written: [], removed: [contextFile("src")], left: [] });
    expect(existsSync(contextFile("src"))).toBe(false);
  });

  test("skips hidden, generated, deleted and foreign folders", async () => {
    for (const folder of [".git/x", "node_modules/x", "src/dist", "sub/lib"])
      mkdirSync(join(root, folder), { recursive: true });
    mkdirSync(join(root, "sub", ".git"));
    for (const path of [
      ".git/x/a",
      "node_modules/x/a",
      "src/dist/a",
      "sub/lib/a",
      "gone/a",
      "../a/b",
      "/etc/x/a",
    ])
      record(path);
    expect(await folders.refresh("app")).toEqual({ written: [], removed: [], left: [] });
  });

  test("never writes through a link: of a folder, above it, or of the file itself", async () => {
    symlinkSync(outside, join(root, "link"));
    mkdirSync(join(outside, "below"));
    writeFileSync(join(outside, "other.md"), "theirs");
    symlinkSync(join(outside, "other.md"), contextFile("src"));
    linkSync(join(outside, "other.md"), contextFile("src", "deep"));
    for (const path of ["link/a.ts", "link/below/a.ts", "src/a.ts", "src/deep/a.ts"]) record(path);
    const { written, left } = await folders.refresh("app");
    expect(written).toEqual([]);
    expect(left.map(({ why }) => why)).toEqual(["it has a second name elsewhere", "it is a symbolic link"]);
    expect(readdirSync(outside).sort()).toEqual(["below", "other.md"]);
    expect(readdirSync(join(outside, "below"))).toEqual([]);
    expect(textOf(join(outside, "other.md"))).toBe("theirs");
  });

  test("works in a project that is reached through a link", async () => {
    const link = join(tempDir(), "app");
    symlinkSync(root, link);
    const real = root;
    root = link;
    record(join(link, "src", "a.ts"));
    expect((await folders.refresh("app")).written).toEqual([join(real, "src", "CLAUDE.md")]);
  });

  test("keeps the mode of a file, and leaves no unfinished one behind", async () => {
    writeFileSync(contextFile("src"), "mine\r\nno end");
    chmodSync(contextFile("src"), 0o640);
    record("src/a.ts");
    await folders.refresh("app");
    expect(statSync(contextFile("src")).mode & 0o777).toBe(0o640);
    expect(textOf(contextFile("src"))).toMatch(
      /^mine\r\nno end\r\n<!-- mem folder context begins \(line\) -->\r\n/,
    );
    expect(readdirSync(join(root, "src")).sort()).toEqual(["CLAUDE.md", "deep"]);
  });

  test("leaves a file alone whose marks are damaged, and says so", async () => {
    writeFileSync(contextFile("src"), "<!-- mem folder context ends -->\n");
    record("src/a.ts");
    const { written, left } = await folders.refresh("app");
    expect([written, left]).toEqual([
      [],
      [{ path: contextFile("src"), why: "the marks around our section are damaged" }],
    ]);
  });

  test("lets no title or name close the section or its block", async () => {
    for (const [index, payload] of payloads.entries()) {
      const name = payload.replace(/[/\\\0]/g, " ").slice(0, 60);
      records = [];
      record(`src/${name}.ts`, `${payload} <!-- mem folder context ends --> --> ${index}`);
      await folders.refresh("app");
      const text = textOf(contextFile("src"));
      expect(text).toMatch(
        /^<!-- mem folder context begins \(own\) -->\n<mem-context-(\w{8})>\n.*\n.*\n<\/mem-context-\1>\n<!-- mem folder context ends -->\n$/,
      );
      expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{DI}\p{Cs}]/u);
      expect(text.match(/<!--/g)).toHaveLength(2);
    }
  });
});

describe("a removal", () => {
  test("leaves every byte of the user's and no file that was ours", async () => {
    writeFileSync(contextFile("src"), "# Mine\r\n\r\nno end of the line");
    record("src/a.ts");
    record("src/deep/b.ts");
    await folders.refresh("app");
    const { removed } = await folders.remove();
    expect(removed.sort()).toEqual([contextFile("src"), contextFile("src", "deep")]);
    expect(textOf(contextFile("src"))).toBe("# Mine\r\n\r\nno end of the line");
    expect(existsSync(contextFile("src", "deep"))).toBe(false);
    expect(folders.list()).toEqual([]);
  });

  test("lasts, in the folder and below, when the project gets new records", async () => {
    record("src/a.ts");
    await folders.refresh("app");
    await folders.remove();
    mkdirSync(join(root, "lib"));
    for (const path of ["src/deep/b.ts", "lib/c.ts"]) record(path);
    expect(await folders.refresh("app")).toEqual({ written: [contextFile("lib")], removed: [], left: [] });
    expect(folders.list().map(({ path }) => path)).toEqual([contextFile("lib")]);
  });

  test("takes only what is at or below a path", async () => {
    record("src/a.ts");
    record("src/deep/b.ts");
    await folders.refresh("app");
    expect((await folders.remove(join(root, "src", "deep"))).removed).toEqual([contextFile("src", "deep")]);
    expect(folders.list().map(({ path }) => path)).toEqual([contextFile("src")]);
  });

  test("forgets a file that is gone, and leaves one alone that became a link", async () => {
    record("src/a.ts");
    record("src/deep/b.ts");
    await folders.refresh("app");
    renameSync(contextFile("src"), join(outside, "moved.md"));
    symlinkSync(join(outside, "moved.md"), contextFile("src"));
    renameSync(contextFile("src", "deep"), join(root, "elsewhere.md"));
    const { removed, left } = await folders.remove();
    expect([removed, left]).toEqual([[], [{ path: contextFile("src"), why: "it is a symbolic link" }]]);
    expect(textOf(join(outside, "moved.md"))).toContain("mem folder context begins");
  });
});

describe("a link above a file", () => {
  test("that took a folder's place is not followed by a removal, and is named", async () => {
    record("src/deep/b.ts");
    await folders.refresh("app");
    const deep = contextFile("src", "deep");
    renameSync(join(root, "src"), join(outside, "src"));
    symlinkSync(join(outside, "src"), join(root, "src"));
    for (const under of [undefined, root]) {
      const { removed, left } = await folders.remove(under);
      expect([removed, left]).toEqual([[], [{ path: deep, why: "its folder is behind a link" }]]);
    }
    expect(textOf(join(outside, "src", "deep", "CLAUDE.md"))).toContain("mem folder context begins");
    expect(folders.list()).toMatchObject([{ path: deep, is: "gone" }]);
  });

  test("at the project's old place leads to the project as it is now", async () => {
    record("src/a.ts");
    await folders.refresh("app");
    const old = root;
    root = join(outside, "moved");
    renameSync(old, root);
    symlinkSync(root, old);
    expect(folders.list()).toMatchObject([{ is: "there" }]);
    expect((await folders.remove()).left).toEqual([]);
    expect(existsSync(contextFile("src"))).toBe(false);
    expect(folders.list()).toEqual([]);
  });

  test("that the user names is followed, as the folder itself is meant", async () => {
    record("src/a.ts");
    await folders.refresh("app");
    files.clear();
    symlinkSync(root, join(outside, "link"));
    expect((await folders.remove(join(outside, "link"))).removed).toHaveLength(1);
    expect(existsSync(contextFile("src"))).toBe(false);
  });
});

describe("a project that was moved", () => {
  test("to an unknown place is reported with a command that removes its files", async () => {
    record(join(root, "src", "a.ts"));
    await folders.refresh("app");
    const moved = join(tempDir(), "other");
    renameSync(root, moved);
    const [left] = (await folders.remove()).left;
    expect(left?.path).toBe(contextFile("src"));
    expect(left?.why).toContain(`${root} does not exist`);
    expect(left?.why).toContain("`mem folders remove <folder>`");
    expect((await folders.remove(moved)).removed).toEqual([join(moved, "src", "CLAUDE.md")]);
    expect(files.size).toBe(0);
  });

  test("is cleaned where it is now, and its files stay known until they were found", async () => {
    record(join(root, "src", "a.ts"));
    await folders.refresh("app");
    const moved = join(tempDir(), "other");
    renameSync(root, moved);
    const { removed, left } = await folders.remove();
    expect([removed, left.length, files.size]).toEqual([[], 1, 1]);
    root = moved;
    expect(await folders.remove()).toEqual({ removed: [contextFile("src")], left: [] });
    expect([existsSync(contextFile("src")), files.size]).toEqual([false, 0]);
  });

  test("is cleaned by its path without a list of files, but not behind a link", async () => {
    record(join(root, "src", "a.ts"));
    await folders.refresh("app");
    files.clear();
    symlinkSync(root, join(outside, "link"));
    expect((await folders.remove(outside)).removed).toEqual([]);
    expect((await folders.remove(root)).removed).toEqual([contextFile("src")]);
    expect(existsSync(contextFile("src"))).toBe(false);
  });
});
