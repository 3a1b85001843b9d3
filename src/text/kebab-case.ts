// Kebab-case names of host events for routes and commands: `PostToolUse` becomes `post-tool-use`.

/** The name in kebab-case. */
export function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}
