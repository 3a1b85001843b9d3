import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { type NumberedLine, numberedLines } from "../../src/core/numbered-lines.ts";
import { demandOutsideData, fromFile, toFile, toLocalError, toStream } from "../../src/core/output-file.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe("the file of an export", () => {
  test("is its owner's alone, and replaces the one before when it is whole", async () => {
    const file = join(tempDir(), "a.jsonl");
    writeFileSync(file, "old", { mode: 0o644 });
    chmodSync(file, 0o644);
    const result = await toFile(file, async (write) => {
      await write("new ");
      expect(readFileSync(file, "utf8")).toBe("old");
      await write("text");
      return 7;
    });
    expect(result).toBe(7);
    expect(readFileSync(file, "utf8")).toBe("new text");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  test("that fails leaves the earlier file and no partial one", async () => {
    const file = join(tempDir(), "a.jsonl");
    writeFileSync(file, "old");
    const failing = toFile(file, async (write) => {
      await write("half");
      throw new Error("lost");
    });
    await expect(failing).rejects.toThrow("lost");
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  test("is never written through what is no file", async () => {
    const directory = tempDir();
    const target = join(directory, "target");
    const link = join(directory, "link");
    writeFileSync(target, "mine");
    symlinkSync(target, link);
    for (const path of [link, directory, "/dev/null"]) {
      await expect(toFile(path, async (write) => write("x"))).rejects.toMatchObject({
        code: "output_failed",
        message: expect.stringContaining("not a regular file"),
      });
    }
    const planted = join(directory, "out");
    symlinkSync(target, `${planted}.part`);
    await toFile(planted, async (write) => write("x"));
    expect([readFileSync(target, "utf8"), readFileSync(planted, "utf8")]).toEqual(["mine", "x"]);
    await expect(toFile(join(directory, "none", "a"), async () => 1)).rejects.toMatchObject({
      code: "output_failed",
    });
  });

  test("that is missing is reported by name", async () => {
    await expect(fromFile(tempDir()).next()).rejects.toMatchObject({ code: "not_found" });
    const reading = fromFile(join(tempDir(), "gone.jsonl")).next();
    await expect(reading).rejects.toMatchObject({ code: "not_found", message: /gone\.jsonl/ });
  });
});

test("refuses files of the data directory, by whatever name they are given", () => {
  const [directory, elsewhere] = [tempDir(), tempDir()];
  const root = join(directory, "data");
  const paths = dataPaths(root);
  mkdirSync(root);
  mkdirSync(join(elsewhere, "spool"));
  writeFileSync(paths.database, "");
  writeFileSync(join(elsewhere, "settings.json"), "");
  symlinkSync(join(elsewhere, "spool"), paths.spool);
  symlinkSync(join(elsewhere, "settings.json"), paths.settings);
  symlinkSync(root, join(directory, "link"));
  symlinkSync(paths.database, join(directory, "file-link"));
  linkSync(paths.database, join(directory, "hard-link"));
  for (const file of [
    paths.database,
    `${paths.database}-wal`,
    join(root, "new", "memory.db"),
    join(root, "..", "data", "mem.db"),
    root,
    ...["link/mem.db", "link/memory.db", "file-link", "hard-link"].map((name) => join(directory, name)),
    ...["spool/1.json", "settings.json"].map((name) => join(elsewhere, name)),
  ])
    expect(() => demandOutsideData(file, paths), file).toThrow("is in the data directory");
  for (const file of [join(directory, "memory.db"), join(elsewhere, "mem.db"), join(directory, "data2", "a")])
    expect(() => demandOutsideData(file, paths), file).not.toThrow();
  writeFileSync(join(elsewhere, "file"), "");
  expect(() => demandOutsideData(join(elsewhere, "file", "a", "b"), paths)).not.toThrow();
  symlinkSync("loop", join(elsewhere, "loop"));
  expect(() => demandOutsideData(join(elsewhere, "loop", "a"), paths)).toThrow(/cannot be written \(ELOOP/);
});

test("for a local reader an error of the file system names its path", () => {
  const file = join(tempDir(), "none");
  const thrown = Object.assign(new Error(`ENOENT: no such file, stat '${file}'`), {
    path: file,
    syscall: "stat",
  });
  const error = toLocalError(thrown);
  expect(error).toMatchObject({
    code: "file_unusable",
    message: `${file} cannot be used (${thrown.message}).`,
  });
  expect(toLocalError(new TypeError("no"))).toMatchObject({ code: "internal" });
});

test("waits until a stream has taken each text, and reports its failure", async () => {
  const taken: string[] = [];
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      if (String(chunk) === "bad") done(new Error("gone"));
      else setImmediate(() => done(void taken.push(String(chunk))));
    },
  });
  slow.on("error", () => undefined);
  const write = toStream(slow);
  await write("one");
  expect(taken).toEqual(["one"]);
  await expect(write("bad")).rejects.toMatchObject({ code: "output_failed" });
});

async function linesOf(parts: readonly (string | Uint8Array)[], maxBytes?: number): Promise<NumberedLine[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield Buffer.from(part);
  }
  const lines: NumberedLine[] = [];
  for await (const line of numberedLines(chunks(), maxBytes)) lines.push(line);
  return lines;
}

describe("lines", () => {
  test("are the same wherever the chunks end, in the middle of a letter too", async () => {
    const text = Buffer.from("ä\r\n\n  \n🦉 two\nthree");
    const expected = [
      { number: 1, text: "ä" },
      { number: 4, text: "🦉 two" },
      { number: 5, text: "three" },
    ];
    for (let at = 0; at <= text.length; at += 1) {
      expect(await linesOf([text.subarray(0, at), text.subarray(at)])).toEqual(expected);
    }
    expect(await linesOf([...text].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    expect(await linesOf([])).toEqual([]);
  });

  test("that are too long or no text are reported by line number", async () => {
    await expect(linesOf(["a\n", "b".repeat(20)], 10)).rejects.toThrow("Line 2 is longer");
    await expect(linesOf([`a\n${"b".repeat(20)}\nc`], 10)).rejects.toThrow("Line 2 is longer");
    await expect(linesOf(["a\n\n", Uint8Array.of(0x1f, 0x8b, 0xff)])).rejects.toThrow(
      "Line 3 is not valid UTF-8",
    );
  });
});
