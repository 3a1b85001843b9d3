// Reads the pages of a SQLite file without SQLite, which refuses a file whose header, schema or length is damaged.
// Format: https://www.sqlite.org/fileformat2.html
import { isUtf8 } from "node:buffer";
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

export type Value = null | number | bigint | string | Buffer;

export interface StoredRow {
  /** 0 in an index and in a table without rowid. */
  rowid: number | bigint;
  values: Value[];
}

/** A page of a tree, without inconsistent cells. */
export interface TreePage {
  kind: "table" | "index";
  /** Pages below it; empty on a leaf. */
  children: number[];
  rows: StoredRow[];
  /** Cells that cannot be read. */
  unreadable: number;
}

export type DamagedPages = ReturnType<typeof openDamagedPages>;

/** Opens the file at `path` with its log. The header is not read: `pageSize` is that of a new file. */
export function openDamagedPages(path: string, pageSize: number) {
  const file = openSync(path, "r");
  const inFile = Math.ceil(fstatSync(file).size / pageSize);
  const log = readLog(`${path}-wal`, pageSize);
  const count = Math.max(inFile, ...log.pages.keys());

  // The last page of a truncated file is shorter.
  function page(number: number): Buffer | undefined {
    const at = log.pages.get(number);
    if (at !== undefined) return log.bytes.subarray(at, at + pageSize);
    if (number < 1 || number > inFile) return undefined;
    const bytes = Buffer.allocUnsafe(pageSize);
    return bytes.subarray(0, readSync(file, bytes, 0, pageSize, (number - 1) * pageSize));
  }

  return {
    /** Pages of the file and its log, from 1. */
    count,
    /** Undefined for a missing page, or one that is not part of a tree. */
    tree(number: number): TreePage | undefined {
      const bytes = page(number);
      return bytes && parseTreePage(bytes, { number, count, pageSize, page });
    },
    close: () => closeSync(file),
  };
}

interface Log {
  bytes: Buffer;
  /** Offset of the newest committed content of a page. */
  pages: Map<number, number>;
}

// Frames of an earlier log have other salts. A frame without a later commit was never acknowledged.
function readLog(path: string, pageSize: number): Log {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const pages = new Map<number, number>();
  const isLog = bytes.length > logHeader && (bytes.readUInt32BE(0) & ~1) === 0x377f0682;
  if (!isLog || bytes.readUInt32BE(8) !== pageSize) return { bytes, pages };
  const salts = bytes.subarray(16, 24);
  let uncommitted: [number, number][] = [];
  for (let at = logHeader; at + frameHeader + pageSize <= bytes.length; at += frameHeader + pageSize) {
    if (!bytes.subarray(at + 8, at + 16).equals(salts)) break;
    uncommitted.push([bytes.readUInt32BE(at), at + frameHeader]);
    if (bytes.readUInt32BE(at + 4) === 0) continue;
    for (const [number, start] of uncommitted) pages.set(number, start);
    uncommitted = [];
  }
  return { bytes, pages };
}

const logHeader = 32;
const frameHeader = 24;

interface PageSource {
  number: number;
  count: number;
  pageSize: number;
  page(number: number): Buffer | undefined;
}

const kinds: Readonly<Record<number, { kind: TreePage["kind"]; isLeaf: boolean }>> = {
  2: { kind: "index", isLeaf: false },
  5: { kind: "table", isLeaf: false },
  10: { kind: "index", isLeaf: true },
  13: { kind: "table", isLeaf: true },
};

function parseTreePage(bytes: Buffer, source: PageSource): TreePage | undefined {
  const header = source.number === 1 ? 100 : 0;
  if (bytes.length < header + 12) return undefined;
  const type = kinds[bytes.readUInt8(header)];
  if (type === undefined) return undefined;
  const { kind, isLeaf } = type;
  const cells = bytes.readUInt16BE(header + 3);
  const pointers = header + (isLeaf ? 8 : 12);
  const found: TreePage = { kind, children: [], rows: [], unreadable: 0 };
  for (let n = 0; n < cells && pointers + 2 * n + 2 <= bytes.length; n++) {
    const at = bytes.readUInt16BE(pointers + 2 * n);
    if (at < pointers + 2 * cells || at + 4 > bytes.length) {
      found.unreadable++;
      continue;
    }
    if (!isLeaf) found.children.push(bytes.readUInt32BE(at));
    if (!isLeaf && kind === "table") continue;
    const row = readCell(bytes, { at: isLeaf ? at : at + 4, kind, source });
    if (row === undefined) found.unreadable++;
    else found.rows.push(row);
  }
  if (!isLeaf) found.children.push(bytes.readUInt32BE(header + 8));
  return found;
}

interface Cell {
  at: number;
  kind: TreePage["kind"];
  source: PageSource;
}

/** Undefined for an incomplete record. */
function readCell(page: Buffer, { at, kind, source }: Cell): StoredRow | undefined {
  const size = readVarint(page, at);
  const rowid = kind === "table" && size ? readVarint(page, size.end) : { value: 0, end: size?.end ?? 0 };
  if (size === undefined || rowid === undefined) return undefined;
  const payload = readPayload(page, { start: rowid.end, length: Number(size.value), kind, source });
  const values = payload && readRecord(payload);
  return values && { rowid: rowid.value, values };
}

interface Payload {
  start: number;
  length: number;
  kind: TreePage["kind"];
  source: PageSource;
}

// A large payload continues in a chain of overflow pages.
function readPayload(page: Buffer, { start, length, kind, source }: Payload): Buffer | undefined {
  const usable = source.pageSize;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const most = kind === "table" ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (length <= 0 || length > source.count * usable) return undefined;
  if (length <= most) return start + length <= page.length ? page.subarray(start, start + length) : undefined;
  const spilled = least + ((length - least) % (usable - 4));
  const local = spilled <= most ? spilled : least;
  if (start + local + 4 > page.length) return undefined;
  const parts = [page.subarray(start, start + local)];
  let next = page.readUInt32BE(start + local);
  for (let rest = length - local; rest > 0; ) {
    const overflow = source.page(next);
    const end = 4 + Math.min(rest, usable - 4);
    if (overflow === undefined || overflow.length < end) return undefined;
    parts.push(overflow.subarray(4, end));
    rest -= usable - 4;
    next = overflow.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function readRecord(payload: Buffer): Value[] | undefined {
  const header = readVarint(payload, 0);
  if (header === undefined || header.value > payload.length) return undefined;
  const values: Value[] = [];
  let body = Number(header.value);
  let at = header.end;
  while (at < header.value) {
    const type = readVarint(payload, at);
    if (type === undefined || type.end > header.value) return undefined;
    const size = sizeOf(Number(type.value));
    if (size === undefined || body + size > payload.length) return undefined;
    const value = readValue(payload.subarray(body, body + size), Number(type.value));
    if (value === undefined) return undefined;
    values.push(value);
    body += size;
    at = type.end;
  }
  return body === payload.length ? values : undefined;
}

const fixedSizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function sizeOf(type: number): number | undefined {
  return type >= 12 ? Math.floor((type - 12) / 2) : fixedSizes[type];
}

// Invalid UTF-8 comes from an overwritten page: JavaScript only stores valid text.
function readValue(bytes: Buffer, type: number): Value | undefined {
  switch (type) {
    case 0:
      return null;
    case 6:
      return smallest(bytes.readBigInt64BE(0));
    case 7:
      return bytes.readDoubleBE(0);
    case 8:
    case 9:
      return type - 8;
    default:
      if (type < 12) return bytes.readIntBE(0, bytes.length);
      if (type % 2 === 0) return Buffer.from(bytes);
      return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
  }
}

function smallest(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

// Seven bits per byte, most significant first; the ninth byte has eight.
function readVarint(bytes: Buffer, at: number): { value: number | bigint; end: number } | undefined {
  let value = 0;
  let end = at;
  for (; end < at + 4; end++) {
    const byte = bytes[end];
    if (byte === undefined) return undefined;
    value = value * 128 + (byte & 127);
    if (byte < 128) return { value, end: end + 1 };
  }
  let long = BigInt(value);
  for (; end < at + 9; end++) {
    const byte = bytes[end];
    if (byte === undefined) return undefined;
    const isLast = end === at + 8;
    long = isLast ? (long << 8n) | BigInt(byte) : (long << 7n) | BigInt(byte & 127);
    if (byte < 128 || isLast) break;
  }
  return { value: smallest(BigInt.asIntN(64, long)), end: end + 1 };
}
