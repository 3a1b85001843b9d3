// Reads a file line by line from an offset, in bounded memory.
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import * as zlib from "node:zlib";
import { MemError } from "../core/errors.ts";
import type { JsonObject } from "../text/json.ts";
import { parseObject } from "../text/json-fields.ts";

export interface Line {
  /** Null for a line that is longer than any host writes. */
  text: string | null;
  /** Offset of its first byte, and of the first byte behind its line feed. */
  start: number;
  end: number;
}

// The longest lines are results with a picture, of a few MB.
const maxLineBytes = 64 * 1024 * 1024;

/** A file that is one JSON object, as one line. */
export async function* wholeFile(path: string): AsyncGenerator<Line> {
  const { size } = await stat(path);
  yield { text: size > maxLineBytes ? null : textOf(await readFile(path)), start: 0, end: size };
}

/**
 * Whole lines only, unless `withRest`: what a host still writes has no line feed yet. Empty lines are left out.
 */
export async function* linesOf(
  path: string,
  from = 0,
  { withRest = false }: { withRest?: boolean } = {},
): AsyncGenerator<Line> {
  const stream = isPacked(path) ? unpacked(path) : createReadStream(path, { start: from, highWaterMark });
  // A packed file cannot be entered in its middle.
  let skipped = isPacked(path) ? from : 0;
  let parts: Buffer[] = [];
  let held = 0;
  let start = from;
  let isTooLong = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let at = Math.min(skipped, chunk.length);
    skipped -= at;
    for (let feed = chunk.indexOf(lineFeed); feed !== -1; feed = chunk.indexOf(lineFeed, at)) {
      const piece = chunk.subarray(at, feed);
      const end = start + held + piece.length + 1;
      if (isTooLong || held + piece.length > maxLineBytes) yield { text: null, start, end };
      else {
        const text = textOf(parts.length === 0 ? piece : Buffer.concat([...parts, piece]));
        if (text.trim() !== "") yield { text, start, end };
      }
      parts = [];
      held = 0;
      isTooLong = false;
      start = end;
      at = feed + 1;
    }
    const rest = chunk.subarray(at);
    held += rest.length;
    if (held > maxLineBytes) {
      isTooLong = true;
      parts = [];
    } else if (rest.length > 0) parts.push(rest);
  }
  const rest = textOf(Buffer.concat(parts));
  if (withRest && rest.trim() !== "") yield { text: rest, start, end: start + held };
}

const lineFeed = 10;
const highWaterMark = 256 * 1024;

/** Offsets in it are of its unpacked text. */
export function isPacked(path: string): boolean {
  return path.endsWith(".zst");
}

function unpacked(path: string): Readable {
  // From Node 22.15 on.
  const { createZstdDecompress: create } = zlib as Partial<
    typeof zlib & Record<string, typeof zlib.createGunzip>
  >;
  if (create === undefined) {
    throw new MemError("import_unreadable", {
      message: `${path} is compressed with zstd, which Node ${process.version} cannot read.`,
      hint: `Unpack it and import again: \`zstd -d ${path}\`. Or use Node 22.15 or later.`,
    });
  }
  return pipeline(createReadStream(path, { highWaterMark }), create(), () => undefined);
}

/** The objects of a line: more than one where the host lost the line feed between two. Null for another line. */
export function objectsIn(text: string): JsonObject[] | null {
  const whole = parseObject(text);
  if (whole !== null) return [whole];
  const found: JsonObject[] = [];
  let from = 0;
  let tries = 0;
  for (let at = text.indexOf("}{"); at >= 0 && tries < mostTries; at = text.indexOf("}{", at + 1), tries++) {
    const object = parseObject(text.slice(from, at + 1));
    if (object === null) continue;
    found.push(object);
    from = at + 1;
  }
  const last = found.length === 0 ? null : parseObject(text.slice(from));
  return last === null ? null : [...found, last];
}

const mostTries = 50;

// Editors and scripts of Windows begin a file with a byte order mark.
function textOf(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}
