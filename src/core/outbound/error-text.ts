// Error texts of vendors, cleaned for messages and storage.

import { redactSecrets } from "../../privacy/secrets.ts";
import { isJsonObject } from "../../text/json.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { shorten } from "../shorten.ts";
import { errorIn, parseBody, textAt } from "./wire-values.ts";

/** The readable part of an error body, one short line without secrets; may be empty. */
export function reasonIn(body: string, secrets: readonly string[]): string {
  const value = parseBody(body);
  if (value === undefined) {
    return /^\s*<(!doctype|html|\?xml)/i.test(body) ? "an HTML page" : cleanReason(body, secrets);
  }
  const error = errorIn(value) ?? value;
  const upstream = textAt(error, "metadata", "raw");
  const said = [
    typeof error === "string"
      ? error
      : (textAt(error, "message") ?? textAt(error, "error") ?? textAt(error, "detail") ?? ""),
    upstream === undefined ? "" : `(${upstream})`,
  ];
  return cleanReason(said.join(" "), secrets);
}

/** Names, codes and message of an error, to classify it; without parts of the request that a server echoes. */
export function wordsIn(body: string): string {
  const value = parseBody(body);
  if (value === undefined) return body.slice(0, longestWords);
  const error = errorIn(value) ?? value;
  if (!isJsonObject(error)) return String(error).slice(0, longestWords);
  const names = ["type", "code", "status", "message", "error", "detail"].map((name) => error[name]);
  const details = JSON.stringify(error.details ?? error.metadata ?? "");
  return [...names.filter((name) => typeof name === "string"), details]
    .map((word) => word.slice(0, longestWords))
    .join(" ");
}

/** One line of at most 300 characters without control characters and without secrets; `secrets` are taken out as they are. */
export function cleanReason(text: string, secrets: readonly string[]): string {
  let line = terminalLine(text.slice(0, 64 * 1024));
  for (const secret of secrets) if (secret.length > 3) line = line.replaceAll(secret, "[redacted:key]");
  return terminalLine(shorten(redactSecrets(line.slice(0, 4_000)), 300));
}

const longestWords = 600;
