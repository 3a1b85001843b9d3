// Nesting depth of a JSON text, without parsing: a value nested too deeply overflows the stack when it is serialized.

/** True if the text nests deeper than `limit` arrays and objects; brackets in strings do not count. */
export function nestingExceeds(json: string | Uint8Array, limit: number): boolean {
  if (json.length <= limit) return false;
  return typeof json === "string" ? textExceeds(json, limit) : bytesExceed(json, limit);
}

const quote = 0x22;
const backslash = 0x5c;

// The loop is duplicated: a shared reader was four times slower.
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

// Position of the closing quote, or the end of the text.
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
