// Reads the remotes of a repository's configuration as text: nothing of it is run, and no include is followed.

/** The address of `origin`, else of the first remote that has one; null without any. */
export function firstRemoteUrl(config: string): string | null {
  const urls = new Map<string, string>();
  let remote: string | null = null;
  for (const line of logicalLines(config)) {
    const section = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    const rest = section === null ? line : (section[3] ?? "");
    if (section !== null) remote = remoteOf(section[1] ?? "", section[2]);
    const url = remote === null ? null : urlOf(rest);
    if (remote !== null && url !== null && url !== "" && !urls.has(remote)) urls.set(remote, url);
  }
  return urls.get("origin") ?? [...urls.values()][0] ?? null;
}

function remoteOf(section: string, name: string | undefined): string | null {
  if (name !== undefined) return /^remote$/i.test(section) ? name.replace(/\\(.)/g, "$1") : null;
  return /^remote\.(.+)$/i.exec(section)?.[1] ?? null;
}

// A backslash at the end of a line goes on with the next one.
function logicalLines(config: string): string[] {
  return config.replace(/\\\r?\n/g, "").split(/\r?\n/);
}

function urlOf(line: string): string | null {
  const value = /^\s*url\s*=\s*(.*)$/i.exec(line)?.[1];
  return value === undefined ? null : unquoted(value);
}

// Quotes may stand anywhere in a value; a comment begins outside of them.
function unquoted(value: string): string {
  let text = "";
  let quoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const char = value.charAt(at);
    if (char === '"') quoted = !quoted;
    else if (char === "\\") text += value.charAt(++at);
    else if (!quoted && (char === "#" || char === ";")) break;
    else text += char;
  }
  return text.trim();
}
