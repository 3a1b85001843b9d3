// Searches the files of a directory for words, byte for byte.
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../core/error-code.ts";

const chunkBytes = 1024 * 1024;

/** How many files there are, and how many of the words any of them contains. A file that goes meanwhile has none. */
export async function filesWith(
  root: string,
  words: readonly string[],
): Promise<{ searched: number; words: number }> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const found = new Set<string>();
  for (const file of files) await search(file, words, found);
  return { searched: files.length, words: found.size };
}

async function search(path: string, words: readonly string[], found: Set<string>): Promise<void> {
  const wanted = words.map((word) => ({ word, bytes: Buffer.from(word) }));
  const overlap = Math.max(0, ...wanted.map(({ bytes }) => bytes.length - 1));
  const file = await open(path, "r").catch((cause: unknown) => {
    if (isMissing(cause)) return undefined;
    throw cause;
  });
  if (file === undefined) return;
  try {
    const buffer = Buffer.alloc(chunkBytes + overlap);
    // A word may stand on the border of two chunks.
    for (let at = 0; ; at += chunkBytes) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      const read = buffer.subarray(0, bytesRead);
      for (const { word, bytes } of wanted) if (!found.has(word) && read.includes(bytes)) found.add(word);
      if (bytesRead < buffer.length) return;
    }
  } finally {
    await file.close();
  }
}
