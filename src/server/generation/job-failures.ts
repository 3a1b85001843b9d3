// Texts of failed jobs: mem's for the team, the vendor's for the log.
import type { Release } from "../../core/records/queue.ts";
import type { JobRelease } from "../../store/postgres/job-leases.ts";

/** The release for the store. */
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

/** The log's text: the vendor's words, except for a bad answer, which may repeat the team's events. */
export function loggedFailure(error: string): string {
  const { code, message } = wordsOf(error);
  return code === "bad_answer" ? `${code}: ${message}` : error;
}

// A stored error begins with the kind of the failure.
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
