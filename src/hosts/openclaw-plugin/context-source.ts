// Context for the system prompts of a project, kept for a minute: every turn of every session asks for it. A new session
// gets what the last one kept.
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { RecentMap } from "../../core/recent-map.ts";
import { deadlineMs } from "../hook/deadlines.ts";
import type { WorkerLink } from "../in-process/worker-link.ts";
import { type About, origin } from "./event-bodies.ts";
import type { Session } from "./sessions.ts";

export interface ContextSource {
  /** Asks the worker for a new session, and when the last text is older than a minute. Empty if it cannot be asked. */
  textFor(about: About): Promise<string>;
}

const keptMs = 60_000;
const maxProjects = 100;

interface ContextSourceDeps {
  link: Pick<WorkerLink, "post">;
  environment: NodeJS.ProcessEnv;
  clock: Clock;
}

export function createContextSource({ link, environment, clock }: ContextSourceDeps): ContextSource {
  const texts = new RecentMap<string, { text: string; atMs: number }>(maxProjects);
  const asking = new Map<string, Promise<string>>();
  const served = new WeakSet<Session>();

  async function ask(key: string, about: About): Promise<string> {
    const body = Buffer.from(JSON.stringify(origin(about)));
    const text = await failOpen("ask for context", () =>
      link.post("context", body, deadlineMs("user-prompt-submit", environment)),
    );
    asking.delete(key);
    // The next turn asks again after a failed request, and until the project has records.
    if (text) texts.set(key, { text, atMs: clock.monotonicMs() });
    return text ?? "";
  }

  return {
    textFor(about) {
      const key = about.settings.project ?? about.session.cwd ?? "";
      const kept = served.has(about.session) ? texts.get(key) : undefined;
      served.add(about.session);
      if (kept !== undefined && clock.monotonicMs() - kept.atMs < keptMs) return Promise.resolve(kept.text);
      const asked = asking.get(key) ?? ask(key, about);
      asking.set(key, asked);
      return asked;
    },
  };
}
