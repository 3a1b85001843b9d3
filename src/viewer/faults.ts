// Failures as a reader of the pages sees them: what happened and the next step, without the words of the API.
import { isJsonObject } from "../text/json.ts";

/** A failed request, as it is shown: what happened and the next step. */
export class ApiFault extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor(code: string, message: string, hint: string | null, cause?: unknown) {
    super(message, { cause });
    this.name = "ApiFault";
    this.code = code;
    this.hint = hint;
  }
}

/** Any error as one to show. */
export function faultOf(error: unknown): ApiFault {
  if (error instanceof ApiFault) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiFault("internal", message, "Reload the page. If it stays, run `mem doctor`.", error);
}

/** True for the error of a request that was aborted, which is no failure. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The error body of a route in the words of the pages. */
export function refusalOf(status: number, body: unknown): ApiFault {
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
  const code = typeof error.code === "string" ? error.code : `http_${status}`;
  const message = typeof error.message === "string" ? error.message : `The worker answered ${status}.`;
  const hint = typeof error.hint === "string" ? error.hint : null;
  return new ApiFault(code, inWords(message), hint !== null && route.test(hint) ? nextStep(code) : hint);
}

// Hints with a route are for programs that call the API.
const route = /\b(?:GET|POST|PUT|PATCH|DELETE) \//;

function nextStep(code: string): string | null {
  switch (code) {
    case "not_found":
      return "It may be deleted: look for it in the Trash, or search for it.";
    case "conflict":
      return "Look into the Trash: what is deleted there must be restored first, and a later edit undone.";
    case "invalid_request":
      return "Correct it and try again.";
    default:
      return null;
  }
}

// The API begins with the name of the wrong field.
function inWords(message: string): string {
  return message.replace(/^`(\w+)(?:\.\w+)*`: /, (_start, field: string) => `${labels[field] ?? field} `);
}

/** Fields of the API as the pages name them. */
const labels: Readonly<Record<string, string | undefined>> = {
  query: "The search",
  type: "The kind",
  obs_type: "The type",
  concepts: "A concept",
  files: "A file",
  dateStart: "The first day",
  dateEnd: "The last day",
  project: "The project",
  text: "The text",
  title: "The title",
  subtitle: "The subtitle",
  facts: "A fact",
  prompt: "The prompt",
  prompt_text: "The prompt",
  file: "The file",
  command: "The command",
  superseded_by: "The replacement",
  id: "The number in the address",
};
