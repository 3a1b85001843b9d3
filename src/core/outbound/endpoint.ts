// The request URL for an address in a setting.

/** The endpoint of a wire format: `path` is added unless the address already ends in it. */
interface EndpointRule {
  /** The setting's name, for error messages. */
  setting: string;
  /** Last part of the path, for example `/chat/completions`. */
  call: string;
  /** Added before it if the address has no version. */
  version: string;
}

/** True if requests to the origin stay on this machine. */
export function isThisMachine(origin: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(origin).hostname);
}

/**
 * Origin and path of `base`, or a sentence with the problem.
 *
 * | address                             | request                                          |
 * | ----------------------------------- | ------------------------------------------------ |
 * | `http://127.0.0.1:11434`            | no version in the path: `/v1/chat/completions`   |
 * | `https://host/api/v1`               | a version (`v1`, `v4`, `v1beta`): it is kept     |
 * | `https://host/x/chat/completions`   | the whole address: it is asked as it is          |
 */
export function parseEndpoint(
  base: string,
  { setting, call, version }: EndpointRule,
): { origin: string; path: string } | string {
  const text = base.trim();
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return `${setting} is not an http or https address.`;
  }
  const url = new URL(text);
  // Credentials would be ignored or end up in messages.
  if (url.username !== "" || url.password !== "") {
    return `${setting} holds a user or password: put the key into its own setting.`;
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith(call)) return { origin: url.origin, path: path + url.search };
  const versioned = path.split("/").some((part) => /^v\d/.test(part));
  return { origin: url.origin, path: `${path}${versioned ? "" : version}${call}${url.search}` };
}
