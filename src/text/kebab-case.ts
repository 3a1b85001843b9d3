// Names of host events as they stand in routes and commands: `PostToolUse` and `postToolUse` are `post-tool-use`.

/** The name in kebab-case; one that is in it already comes back as it is. */
export function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}
