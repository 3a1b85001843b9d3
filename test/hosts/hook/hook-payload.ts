// The event that launchers are tried with: text that shells and JSON treat specially, a private part and a password.
export const canary = "CANARY-behind-the-tag";
export const password = "hunter2-CANARY-of-a-password";
export const payload = JSON.stringify({
  session_id: "s1",
  cwd: "/home/user/demo",
  tool_name: "Bash",
  tool_use_id: "toolu_1",
  tool_input: { command: `echo <private>${canary}</private> ünïcödé 'quoted' $HOME \\"` },
  tool_response: { stdout: `DB_PASSWORD=${password}\nEND\n` },
});
export const answer =
  '{"hookSpecificOutput":{"additionalContext":"two\\nlines, \'quoted\' $HOME `here` 100%s"}}';

export const silent = { code: 0, signal: null, stdout: "", stderr: "" };

/** Words as one line for a shell. */
export function quotedLine(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}
