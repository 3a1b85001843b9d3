// Why a job was not done: for its team in our own words, for the log in the vendor's, where those are none of a team's.
import type { Release } from "../core/records/queue.ts";
import type { JobRelease } from "../store/postgres/job-leases.ts";

/** The loop's decision as the store carries it out. */
export function releaseOf(release: Release): JobRelease {
  switch (release.kind) {
    case "give_back":
      return release;
    case "later":
    case "retry":
      return { kind: release.kind, at: release.at, error: wordsOf(release.error) };
    case "dead":
      return { kind: "failed", error: wordsOf(release.error) };
    default:
      return release satisfies never;
  }
}

/** What the log says of a failed call: the vendor's words, but of a bad answer ours, since that is made of what it read. */
export function loggedFailure(error: string): string {
  const { code, message } = wordsOf(error);
  return code === "bad_answer" ? `${code}: ${message}` : error;
}

// The loop puts the kind of the failure before the vendor's words.
function wordsOf(error: string): { code: string; message: string } {
  const kind = error.slice(0, error.indexOf(":"));
  return { code: kind in sentences ? kind : "failed", message: sentences[kind] ?? unknown };
}

const unknown = "The job failed. The server's log says why.";

const sentences: Readonly<Record<string, string>> = {
  rate_limited: "The provider asked for a pause.",
  quota: "The provider's quota is used up.",
  auth: "The provider refused the server's key.",
  unavailable: "The provider could not be reached.",
  timeout: "The provider did not answer in time.",
  bad_request: "The provider refused the request.",
  bad_answer: "The model's answer could not be used.",
  overflow: "The event is too long for the model.",
};
