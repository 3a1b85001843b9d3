// Deleting records by their age: policies, and what they select.

/** How long records are kept. */
export interface RetentionPolicy {
  /** The general policy; null for off. */
  days: number | null;
  /** Projects with another policy; 0 keeps their records. */
  projects: { project: string; days: number }[];
}

/** Projects whose records from before a time go. */
export interface AgeLimit {
  projects: string[];
  before: number;
}

/** Days of a project's policy: null when nothing of it goes. */
export function daysOf({ days, projects }: RetentionPolicy, label: string): number | null {
  const own = projects.find(({ project }) => project === label)?.days ?? days;
  return own === 0 ? null : own;
}
