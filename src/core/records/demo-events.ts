// What happens while `mem demo` replays a session, as its screens show it.

/** One thing that happened; times in milliseconds. */
export type DemoEvent =
  | { kind: "worker"; url: string; tookMs: number }
  /** A hook was run as the host runs it. */
  | { kind: "hook"; name: string; about: string; tookMs: number; done: number; total: number }
  | { kind: "observation"; obs_type: string; title: string }
  | { kind: "summary"; title: string }
  /** A command, and the lines that it printed. */
  | { kind: "question"; command: string; lines: string[] }
  /** What a hook put into the context of the next session's agent. */
  | { kind: "injected"; moment: string; text: string }
  /** Private text and passwords of the session that were looked for on the disk, and found. */
  | { kind: "privacy"; lookedFor: number; found: number }
  | { kind: "end"; tookMs: number };
