// The gateway credentials of the `primary` provider, from the `.env` file of the data directory.
import { MemError } from "../core/errors.ts";
import { readPrivateFile } from "./private-file.ts";
import { Secret } from "./secret.ts";

/** What `gateway` mode needs; an empty address means that none is set. */
export interface GatewayCredentials {
  baseUrl: string;
  authToken: Secret;
  apiKey: Secret;
}

/**
 * Reads `LLM_BASE_URL`, `LLM_AUTH_TOKEN` and `LLM_API_KEY` from the file at `path`; a missing file is three empties.
 * Only the file is read: an environment that other tools share must not send their keys to a gateway.
 */
export function loadGatewayCredentials(path: string): GatewayCredentials {
  const values = parseDotEnv(readPrivateFile(path, "settings_unreadable") ?? "");
  const baseUrl = values.get("LLM_BASE_URL") ?? "";
  if (baseUrl !== "" && !/^https?:\/\//i.test(baseUrl)) {
    throw new MemError("setting_invalid", {
      message: "LLM_BASE_URL in .env is not an http or https address.",
    });
  }
  return {
    baseUrl,
    authToken: new Secret(values.get("LLM_AUTH_TOKEN") ?? ""),
    apiKey: new Secret(values.get("LLM_API_KEY") ?? ""),
  };
}

/** The variables of a `.env` text: `NAME=value`, `export` allowed, quotes removed, ` #` starts a comment. */
export function parseDotEnv(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line);
    const [, name, rest] = match ?? [];
    if (name !== undefined && rest !== undefined) values.set(name, unquote(rest.trim()));
  }
  return values;
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(text);
  return quoted?.[2] ?? text.replace(/(?:^|\s+)#.*$/, "");
}
