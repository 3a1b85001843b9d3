// How deep a JSON text nests, seen without parsing it: what is too deep overflows the stack later, when it is written.

/** True when more than `limit` arrays and objects are open at once anywhere in the JSON text; brackets in strings do not count. */
export function nestingExceeds(json: string | Uint8Array, limit: number): boolean {
  if (json.length <= limit) return false;
  return typeof json === "string" ? textExceeds(json, limit) : bytesExceed(json, limit);
}

const quote = 0x22;
const backslash = 0x5c;

// Twice the same loop: one over a shared reader took four times as long.
function textExceeds(json: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = textStringEnd(json, at + 1);
    else depth += step(code);
    if (depth > limit) return true;
  }
  return false;
}

function bytesExceed(json: Uint8Array, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json[at] ?? 0;
    if (code === quote) at = bytesStringEnd(json, at + 1);
    else depth += step(code);
    if (depth > limit) return true;
  }
  return false;
}

// [ and {, ] and } differ from each other in one bit.
function step(code: number): number {
  const bracket = code & ~0x20;
  return bracket === 0x5b ? 1 : bracket === 0x5d ? -1 : 0;
}

// Position of the quote that ends the string; the end of the text where it never ends.
function textStringEnd(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (before >= from && json.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}

function bytesStringEnd(json: Uint8Array, from: number): number {
  for (let end = json.indexOf(quote, from); end >= 0; end = json.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (before >= from && json[before] === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
