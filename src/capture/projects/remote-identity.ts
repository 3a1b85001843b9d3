// The address of a git remote in one form, whatever way it is reached: host and path, nothing secret in it.

/**
 * `github.com/owner/name` of any spelling of the same remote: https, ssh, git or scp-like; without user, password and
 * `.git`. Null for a folder on a disk and for what is no address: those tell no project from another.
 */
export function remoteIdentity(url: string): string | null {
  const text = url.trim();
  if (text === "" || text.length > maxChars || /[\s\p{Cc}]/u.test(text)) return null;
  const address = withScheme(text) ?? scpLike(text);
  if (address === null) return null;
  const host = address.host.toLowerCase().replace(/\.$/, "");
  const path = caseFolded(host, trimmedPath(address.path));
  return host === "" || path === "" ? null : `${host}${address.port}/${path}`;
}

const maxChars = 2048;

interface Address {
  host: string;
  /** `:8443` where it tells one server from another, else empty. */
  port: string;
  path: string;
}

const schemes =
  /^(?:git\+)?(ssh|https?|git|ftps?):\/\/(?:[^/@]*(?:@[^/@]*)*@)?(\[[^\]/]+\]|[^/:?#@]+)(?::(\d*))?\/(.+)$/i;
const usualPorts = new Set(["", "22", "80", "443", "9418"]);

// The port of ssh is another one than that of https on the same server, so it tells nothing apart.
function withScheme(text: string): Address | null {
  const [, scheme = "", host = "", port = "", path = ""] = schemes.exec(text) ?? [];
  if (host === "") return null;
  const telling = /^https?$/i.test(scheme) && !usualPorts.has(port) ? `:${port}` : "";
  return { host, port: telling, path };
}

// `user@host:path`; a single letter before the colon is a drive of Windows, a slash before it a folder.
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

// These hosts take every case for the same repository; on others two cases may be two.
const foldingHosts = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

function caseFolded(host: string, path: string): string {
  return foldingHosts.has(host) ? path.toLowerCase() : path;
}
