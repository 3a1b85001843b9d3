// Terms of a record in the hosted index: numbers that include the project, so that an entry belongs to one tenant.
import { codesOfPacked, unpackTerms } from "./record-terms.ts";

/** The code of a term (`codeOf`) in a project. `marked`: in the title or a file's name. */
export function searchCode(projectId: string, code: number, marked = false): bigint {
  return (scopeOf(projectId) << 33n) | (marked ? markBit : 0n) | BigInt(code);
}

/** All codes of a record from its packed terms (`packTerms`), each once. */
export function searchCodes(projectId: string, packed: Uint8Array): string[] {
  const { codes, title, body, end } = unpackTerms(codesOfPacked(packed));
  const scope = scopeOf(projectId) << 33n;
  const marked = [...new Set(codes.subarray(title, body))].map((code) => scope | markBit | BigInt(code));
  const all = [...new Set(codes.subarray(title, end))].map((code) => scope | BigInt(code));
  return [...all, ...marked].map(String);
}

const markBit = 1n << 32n;

// 30 bits of a random id: projects that share them share index entries, never rows.
function scopeOf(projectId: string): bigint {
  return BigInt(`0x${projectId.slice(0, 8)}`) >> 2n;
}
