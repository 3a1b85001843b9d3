// What happens while `mem demo` replays a session, as its screens show it.

/** One thing that happened; times in milliseconds. */
export type DemoEvent =
  | { kind: "worker"; url: string; tookMs: number }
  /** A hook was run as the host runs it. */
  | { kind: "hook"; name: string; about: string; tookMs: number; done: number; total: number }
  | { kind: "observation"; obs_type: string; title: string }
  | { kind: "summary"; title: string }
  | { kind: "question"; words: string; answers: DemoAnswer[] }
  /** What the next session would be given by its first hook. */
  | { kind: "injected"; characters: number }
  /** Private text and passwords of the session that were looked for on the disk, and found. */
  | { kind: "privacy"; lookedFor: number; found: number }
  | { kind: "end"; tookMs: number };

/** What a search found: its kind or type, what it is, and a line of what it says. */
export interface DemoAnswer {
  tag: string;
  title: string;
  text: string;
}
