// Link-local addresses: clouds serve keys there, and no model server has one.
import { BlockList, isIP, isIPv6 } from "node:net";

/** True for a link-local address as an URL has it, brackets and an IPv4 address inside an IPv6 one included. */
export function isLinkLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && linkLocal.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");
