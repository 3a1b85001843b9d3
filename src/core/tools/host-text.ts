// What hosts and IDEs put around a prompt, and prompts that no user wrote.

/** Stands for the text of a prompt that is only an image. */
export const imageOnly = "[image]";

/**
 * What the user sent, without the wrappers of hosts and IDEs, such as `<system-reminder>` or a list of open files. Empty
 * for a prompt that a host, a hook or another agent wrote; a prompt without a wrapper as it is. Linear in time.
 */
export function requestIn(prompt: string): string {
  const kept = withoutHostBlocks(requestPart(prompt));
  if (kept === prompt) return machineText.test(prompt.slice(0, 300)) ? "" : prompt;
  if (machineText.test(kept.slice(0, 300))) return "";
  return kept.trim() || (ofIde.test(prompt.slice(0, 100)) ? imageOnly : "");
}

/** The part that the user typed, on hosts that mark it. */
function requestPart(prompt: string): string {
  const start = prompt.slice(0, 2_000);
  if (ideSetup.test(start)) {
    // The last one: the selected text before it can contain the heading too.
    const at = prompt.lastIndexOf(requestHeading);
    return at < 0 ? "" : prompt.slice(at + requestHeading.length);
  }
  const command = slashCommand.exec(start)?.[1];
  if (command !== undefined)
    return `${command.startsWith("/") ? "" : "/"}${command} ${taggedTexts(prompt, "command-args")}`;
  return taggedTexts(prompt, "user_query") || taggedTexts(prompt, "userRequest") || prompt;
}

const ideSetup = /^\s*# (?:Context from my IDE setup|Files mentioned by the user):/;
const requestHeading = "## My request for Codex:";
// `/review 12` stands in a transcript as tags.
const slashCommand =
  /^\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]+)<\/command-name>/;
const ofIde = /^\s*(?:<ide_|# (?:Context from|Files mentioned))/;

/** The texts of complete tags that begin a line. */
function taggedTexts(text: string, tag: string): string {
  const [, ...pieces] = `\n${text}`.split(new RegExp(`\\n[ \\t]*<${tag}>`));
  return pieces.map((piece) => piece.slice(0, Math.max(0, piece.indexOf(`</${tag}>`))).trim()).join("\n\n");
}

/** Replaces each complete block by a space. A tag without its end stays. */
function withoutHostBlocks(text: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const { 0: open, 1: tag, index } of text.matchAll(blockStart)) {
    const closing = tag === undefined ? (blockEnds.get(open) ?? "") : `</${tag}>`;
    if (index < from || unclosed.has(closing)) continue;
    const end = text.indexOf(closing, index + open.length);
    if (end === -1) unclosed.add(closing);
    else {
      kept.push(text.slice(from, index));
      from = end + closing.length;
    }
    // Each is searched for to the end of the text.
    if (unclosed.size > 20) break;
  }
  return [...kept, text.slice(from)].join(" ");
}

const blockEnds = new Map([
  ["--- Content from referenced files ---", "--- End of content ---"],
  ["[Request interrupted by user", "]"],
  ["<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"],
]);

// Known names only: `<base-button>` may be what a prompt is about. In a code span a tag is named, not opened.
const tags =
  `system[-_]reminder|task-notification|hook_context|session_context|environment_(?:context|details|info)|
  user_(?:instructions|action|info)|workspace_info|turn_aborted|subagent_notification|(?:manually_)?attached_(?:files|skills)|
  open_and_recently_viewed_files|editorContext|reminderInstructions|current_datetime|github-webhook-activity|pr-comment|
  (?:teammate|agent|cross-session)-message|user-memory-input|bash-(?:input|stdout|stderr)|(?:local-)?command-[a-z]{1,20}|
  ide_[a-z_]{1,30}|[a-z-]{1,30}-hook`.replace(/\s+/g, "");
const starts = [...blockEnds.keys()].map((start) => start.replace("[", "\\["));
const blockStart = new RegExp(`(?<!\`)(?:<(${tags})(?:\\s[^<>\\n]{0,200})?>|${starts.join("|")})`, "g");

const machineText = new RegExp(
  `^\\s*(?:This session (?:is being continued|continues) (?:from )?an? (?:previous|earlier) conversation|
  \\[SYSTEM NOTIFICATION|Caveat: The messages below were generated|<environment_context>|# AGENTS\\.md instructions for |
  Base directory for this skill: |This is the Gemini CLI\\. We are setting up the context|
  \\w{3,30}(?::\\w{1,60})? hook (?:feedback|blocking error|additional context)\\b[^\\n]{0,80}:|
  (?:Another|A peer) (?:Claude|agent)(?: Code)? (?:session|agent) sent a message)`.replace(/\n\s*/g, ""),
);
