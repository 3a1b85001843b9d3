// The block around everything that is injected: records are quoted in it, and intake knows it when it comes back.

import { contentKey } from "../core/ids.ts";
import { contextTag } from "../privacy/tag-forms.ts";

/**
 * `lines` in a block whose name carries a hash of them, drawn again until it stands nowhere in them: no record can close
 * the block or open another of its name. Equal lines give equal bytes.
 */
export function contextBlock(lines: readonly string[]): string {
  const body = lines.join("\n");
  const name = `${contextTag}-${freeHash(body)}`;
  return `<${name}>\n${body}\n</${name}>`;
}

const hashChars = 8;

function freeHash(body: string): string {
  const taken = body.toLowerCase();
  for (let round = 0; ; round++) {
    const hash = contentKey(String(round), body).slice(0, hashChars);
    if (!taken.includes(hash)) return hash;
  }
}
