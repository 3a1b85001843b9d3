// What is registered with Claude Code. Time-outs are in seconds.
import { hookSettings, type InstallRecipe } from "./install-recipe.ts";

// SessionStart has no matcher: a resumed session needs no context, but it does need a worker.
// PreToolUse runs before commands and before tools that work on one file. Most calls add nothing: each record is shown once.
// SessionEnd: 1.5 s without a time-out in settings.json; in a plugin it is 1.5 s whatever stands here.
export const claudeCodeRecipe: InstallRecipe = {
  host: "claude-code",
  title: "Claude Code",
  settings: { folderVariable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" },
  mcpFile: ".claude.json",
  hooks: [
    { event: "Setup", timeout: 300 },
    { event: "SessionStart", timeout: 60 },
    { event: "UserPromptSubmit", timeout: 60 },
    { event: "PreToolUse", matcher: "Bash|Read|Edit|Write|MultiEdit|NotebookEdit", timeout: 60 },
    { event: "PostToolUse", matcher: "*", timeout: 120 },
    { event: "PostToolUseFailure", matcher: "*", timeout: 120 },
    { event: "Stop", timeout: 120 },
    { event: "PreCompact", timeout: 60 },
    { event: "SessionEnd", timeout: 3 },
  ],
};

/** hooks/hooks/hooks.json: the same registrations for the plugin, whose folder the host names. */
export function renderPluginHooks(): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts its own folder in here
  const hooks = hookSettings(claudeCodeRecipe, { folder: "${CLAUDE_PLUGIN_ROOT}" }, null);
  const description = "Pipes what happens in a session to mem, and brings back what it remembers.";
  return `${JSON.stringify({ description, hooks }, null, 2)}\n`;
}
