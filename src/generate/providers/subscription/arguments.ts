// The host CLI's command line for one call: one answer as one JSON object, and nothing of the user's session in it.
import type { ModelRequest } from "../../model-client.ts";

// Hooks off by setting; reading denied, because the CLI attaches a file that a prompt names as @path even where it has
// no tools, and prompts quote what other people wrote.
const childSettings = { disableAllHooks: true, permissions: { deny: ["Read"] } };

/**
 * The arguments of the call. The prompt is not among them: `ps` shows arguments to every user of the machine. Nor is the
 * schema: with `--json-schema` the CLI offers a tool to answer by, and asks (and pays) a second time where the model
 * writes the JSON that `system` asks for as text.
 */
export function hostCliArguments({ system }: ModelRequest, model: string): string[] {
  return [
    ...["--print", "--output-format", "json"],
    ...["--model", model],
    ...["--system-prompt", system],
    ...["--tools", ""],
    // No settings of user or project: with them go hooks, plugins and CLAUDE.md.
    ...["--setting-sources", ""],
    ...["--settings", JSON.stringify(childSettings)],
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--no-session-persistence",
  ];
}

/** What goes to the CLI's standard input. A text that starts with a slash would be taken for a command. */
export function hostCliInput({ prompt }: ModelRequest): string {
  return prompt.startsWith("/") ? `\n${prompt}` : prompt;
}
