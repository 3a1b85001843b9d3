// What makes an observation a statement: something that was said or concluded, quoted.

/** Who said it; `tool` for what a failed and a later successful command show together. */
export const speakers = ["user", "agent", "tool"] as const;
export type Speaker = (typeof speakers)[number];

/** Where a rule applies. */
export const reaches = ["project", "everywhere"] as const;
export type Reach = (typeof reaches)[number];

export interface StatementMarks {
  said_by: Speaker;
  /** A rule, preference or environment fact that stands until the user revokes it. */
  standing: boolean;
  reach: Reach;
  /** How likely a colleague would pass it on, a logit: 0 is even, most lie between -4 and 6. */
  salience: number;
  /** Command families for which it is a known fix; see `statements/command-family.ts`. */
  families?: readonly string[];
}
