// The tokens of the full-text column `scope`: what filters inside a match instead of by a join.

/** Token of a project, from its row id. */
export function projectToken(projectId: number): string {
  return `xp${projectId}`;
}

/** Token of an observation type. */
export function typeToken(observationType: string): string {
  return `xt${observationType}`;
}
