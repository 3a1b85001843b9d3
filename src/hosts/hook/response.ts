// Parses one HTTP/1.1 response. Replies of the worker are small and plain, so this is enough.

export interface Response {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

const mostBytes = 1_048_576;
const headEnd = "\r\n\r\n";

/**
 * The response at the start of `bytes`, or null while it is incomplete; `ended` means that no more bytes come. Throws if it
 * is not a response, was cut off, or is larger than 1 MB.
 */
export function parseResponse(bytes: Buffer, ended: boolean): Response | null {
  if (bytes.length > mostBytes) throw new Error("the answer is too large");
  const at = bytes.indexOf(headEnd);
  if (at < 0) return unfinished(ended);
  const [first = "", ...lines] = bytes.toString("latin1", 0, at).split("\r\n");
  const status = /^HTTP\/1\.[01] ([2-5]\d\d)(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new Error("not a response");
  const headers = new Map(lines.map(headerOf));
  const body = bodyOf(headers, bytes.subarray(at + headEnd.length), ended);
  return body === null ? null : { status: Number(status), headers, body };
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function bodyOf(headers: ReadonlyMap<string, string>, rest: Buffer, ended: boolean): Buffer | null {
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return chunkedBody(rest, ended);
  const length = headers.get("content-length");
  if (length === undefined) return ended ? rest : null;
  if (!/^\d{1,9}$/.test(length)) throw new Error("not a length");
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : unfinished(ended);
}

function chunkedBody(rest: Buffer, ended: boolean): Buffer | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd < 0) return unfinished(ended);
    const size = /^[\da-f]{1,8}(?=;|$)/i.exec(rest.toString("latin1", at, lineEnd))?.[0];
    if (size === undefined) throw new Error("not a chunk");
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    const start = lineEnd + 2;
    if (rest.length < start + length + 2) return unfinished(ended);
    chunks.push(rest.subarray(start, start + length));
    at = start + length + 2;
  }
}

function unfinished(ended: boolean): null {
  if (ended) throw new Error("the answer was cut off");
  return null;
}
