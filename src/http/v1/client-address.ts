// The client address of a request: the peer's, or the one that trusted proxies forward.
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { MemError } from "../../core/errors.ts";

/** The address by which failed attempts are counted. */
export type ClientAddress = (request: Asked) => string;

type Asked = Pick<IncomingMessage, "headers"> & { socket: { remoteAddress?: string | undefined } };

/** Address ranges of `loopback` and `private`. */
const named: Record<string, readonly string[]> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fe80::/10"],
};

/**
 * Reads X-Forwarded-For from the right, as far as its writers are trusted; ignored without proxies. Throws
 * `setting_invalid`.
 */
export function createClientAddress(proxies: readonly string[]): ClientAddress {
  if (proxies.length === 0) return peerOf;
  const trusted = new BlockList();
  for (const range of proxies.flatMap((proxy) => named[proxy.toLowerCase()] ?? [proxy])) add(trusted, range);
  const isTrusted = (address: string): boolean =>
    trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return (request) => {
    let nearest = peerOf(request);
    if (isIP(nearest) === 0 || !isTrusted(nearest)) return nearest;
    for (const hop of forwardedFor(request).reverse()) {
      const address = addressIn(hop);
      // A trusted proxy writes addresses only.
      if (address === undefined) return nearest;
      nearest = address;
      if (!isTrusted(address)) return address;
    }
    return nearest;
  };
}

function add(trusted: BlockList, range: string): void {
  const [address = "", bits, ...rest] = range.split("/");
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (version === 0 || address.includes("%") || rest.length > 0 || prefix < 0 || prefix > most) {
    throw new MemError("setting_invalid", {
      message: `MEM_TRUSTED_PROXIES: "${range.slice(0, 80)}" is no address.`,
      hint: "Write addresses and ranges such as 192.0.2.7 or 10.0.0.0/8, or the words loopback and private.",
    });
  }
  trusted.addSubnet(address, prefix, version === 6 ? "ipv6" : "ipv4");
}

function peerOf({ socket }: Asked): string {
  return plain(socket.remoteAddress ?? "");
}

function forwardedFor({ headers }: Asked): string[] {
  const written = headers["x-forwarded-for"];
  const text = Array.isArray(written) ? written.join(",") : (written ?? "");
  return text.trim() === "" ? [] : text.split(",");
}

// Some proxies write the port too: `192.0.2.7:4711`, `[2001:db8::1]:4711`.
function addressIn(hop: string): string | undefined {
  const text = hop.trim();
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  const address = plain(v6 ?? v4 ?? text);
  return isIP(address) === 0 || address.includes("%") ? undefined : address;
}

// A dual-stack socket shows IPv4 addresses as IPv6.
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
