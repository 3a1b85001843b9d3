// The payload that checks a registered hook: the worker echoes it and stores nothing.
import type { JsonObject } from "../text/json.ts";

const field = "mem_check";

/** The payload; `nonce` comes back in the reply. */
export function hookCheckPayload(nonce: string): JsonObject {
  return { [field]: nonce };
}

/** The worker's reply to a check; null for a host's event. */
export function hookCheckReply({ [field]: nonce }: JsonObject): string | null {
  return typeof nonce === "string" ? JSON.stringify({ [field]: nonce.slice(0, maxChars) }) : null;
}

/** True if the output of a hook has the worker's reply to the check. */
export function isHookCheckReply(output: string, nonce: string): boolean {
  return output.includes(JSON.stringify(hookCheckPayload(nonce)));
}

const maxChars = 64;
