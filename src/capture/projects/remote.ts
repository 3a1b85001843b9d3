// The remote of a git repository: its URL from the configuration, and one form for all spellings of it.

/**
 * One form for all URLs of a remote (https, ssh, git, scp-like): `github.com/owner/name`, without user, password and `.git`.
 * Null for a local folder and for anything else that identifies no project.
 */
export function remoteIdentity(url: string): string | null {
  const text = url.trim();
  if (text === "" || text.length > maxChars || /[\s\p{Cc}]/u.test(text)) return null;
  const address = withScheme(text) ?? scpLike(text);
  if (address === null) return null;
  const named = address.host.toLowerCase().replace(/\.$/, "");
  const host = sshHosts.get(named) ?? named;
  const path = caseFolded(host, trimmedPath(address.path));
  return host === "" || path === "" ? null : `${host}${address.port}/${path}`;
}

const maxChars = 2048;
// Where a firewall blocks port 22, ssh goes to port 443 of these.
const sshHosts = new Map([
  ["ssh.github.com", "github.com"],
  ["altssh.gitlab.com", "gitlab.com"],
  ["altssh.bitbucket.org", "bitbucket.org"],
]);

interface Address {
  host: string;
  /** `:8443` for an unusual http port, else empty. */
  port: string;
  path: string;
}

const schemes =
  /^(?:git\+)?(ssh|https?|git|ftps?):\/\/(?:[^/@]*(?:@[^/@]*)*@)?(\[[^\]/]+\]|[^/:?#@]+)(?::(\d*))?\/(.+)$/i;
const usualPorts = new Set(["", "22", "80", "443", "9418"]);

// Only http ports identify a server: ssh on the same server has another port.
function withScheme(text: string): Address | null {
  const [, scheme = "", host = "", port = "", path = ""] = schemes.exec(text) ?? [];
  if (host === "") return null;
  const telling = /^https?$/i.test(scheme) && !usualPorts.has(port) ? `:${port}` : "";
  return { host, port: telling, path };
}

// `user@host:path`. A single letter before the colon is a Windows drive, a slash before it a folder.
function scpLike(text: string): Address | null {
  const [, host = "", path = ""] = /^(?:[^@/:]+@)?(\[[^\]/]+\]|[^/:@\\]{2,}):(?!\/\/)(.+)$/.exec(text) ?? [];
  return host === "" || /^file$/i.test(host) ? null : { host, port: "", path };
}

function trimmedPath(path: string): string {
  const plain = path.replace(/[?#].*$/, "").replaceAll("\\", "/");
  return plain
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "~")
    .join("/")
    .replace(/\.git$/i, "");
}

// Hosts that ignore case in repository paths.
const foldingHosts = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

function caseFolded(host: string, path: string): string {
  return foldingHosts.has(host) ? path.toLowerCase() : path;
}

/** The URL of `origin`, else of the first remote with one, from a git config file as text; includes are not followed. */
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

// A backslash at the end of a line continues it.
function logicalLines(config: string): string[] {
  return config.replace(/\\\r?\n/g, "").split(/\r?\n/);
}

function urlOf(line: string): string | null {
  const value = /^\s*url\s*=\s*(.*)$/i.exec(line)?.[1];
  return value === undefined ? null : unquoted(value);
}

// Quotes may be anywhere in a value; a comment begins outside quotes.
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
