// How the hooks of a host agent are registered.

/** The best state first: a host may have several folders. */
export const hooksStates = [
  "registered",
  // A plugin of the host brings them.
  "plugin",
  // Registered by another version of mem.
  "outdated",
  "partial",
  // Registered, but the host runs none.
  "off",
  "unreadable",
  "none",
] as const;
export type HooksState = (typeof hooksStates)[number];

/** The state in words: `hooks registered`. */
export const hooksInState: Readonly<Record<HooksState, string>> = {
  registered: "hooks registered",
  plugin: "hooks of its plugin",
  outdated: "hooks of another version",
  partial: "hooks registered in part",
  off: "hooks switched off",
  unreadable: "settings unreadable",
  none: "no hooks",
};
