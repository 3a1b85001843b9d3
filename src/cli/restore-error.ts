// Why an entry of the trash cannot be restored, with commands as the next step: the routes name each other.
import { MemError, toMemError } from "../core/errors.ts";

/** The error of a restore, for people. */
export function restoreError(thrown: unknown): MemError {
  const { code, message, hint = "", cause } = toMemError(thrown);
  const next = hint
    .replace(/POST \/api\/trash\/(\d+)\/restore/, "`mem trash restore $1`")
    .replace("GET /api/trash", "`mem trash`")
    .replace(/DELETE \/api\/prompts\/(\d+)/, "prompt $1 in the viewer");
  return new MemError(code, { message, hint: next, cause });
}
