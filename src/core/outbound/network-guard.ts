// Addresses that models may be called at: never link-local or metadata addresses, plain HTTP only on private networks.
import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";

/** Resolves a name; replaceable for tests. */
export type Resolve = LookupFunction;

/** Why the connection was refused. The message is for people. */
export class AddressRefused extends Error {}

interface GuardOptions {
  /** False for `http:`: then only loopback and private networks are connected to. */
  secure: boolean;
  connectTimeoutMs: number;
  resolve?: Resolve;
}

/**
 * A connector of undici that checks the address it connects to. The check is part of the connection's own lookup, so a
 * name cannot resolve to one address for the check and to another for the connection.
 */
export function guardedConnector(
  build: typeof buildConnector,
  { secure, connectTimeoutMs, resolve = systemLookup }: GuardOptions,
): buildConnector.connector {
  const connect = build({
    timeout: connectTimeoutMs,
    lookup: (hostname, options, callback) => {
      // Always all addresses: a single bad one refuses the name.
      resolve(hostname, { ...options, all: true }, (error, found, family) => {
        const all = Array.isArray(found) ? found : [{ address: found, family: family ?? 4 }];
        const refused = error ?? firstRefusal(hostname, all, secure);
        const first = all[0];
        if (refused !== undefined || first === undefined) callback(refused ?? notFound(hostname), "", 0);
        else if (options.all === true) callback(null, all);
        else callback(null, first.address, first.family);
      });
    },
  });
  return (options, callback) => {
    // An IP address in the URL has no lookup.
    const host = options.hostname.replace(/^\[|\]$/g, "");
    const refused = isIP(host) === 0 ? undefined : refusal(host, host, secure);
    if (refused === undefined) connect(options, callback);
    else callback(refused, null);
  };
}

function firstRefusal(
  hostname: string,
  all: readonly { address: string }[],
  secure: boolean,
): AddressRefused | undefined {
  for (const { address } of all) {
    const refused = refusal(hostname, address, secure);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function notFound(hostname: string): Error {
  return new Error(`${hostname} has no address`);
}

function refusal(hostname: string, address: string, secure: boolean): AddressRefused | undefined {
  const what = hostname === address ? address : `${hostname} (${address})`;
  if (isIn(forbidden, address)) {
    return new AddressRefused(
      `${what} is a link-local or metadata address, which no model server has: nothing was sent.`,
    );
  }
  if (!secure && !isIn(near, address)) {
    return new AddressRefused(
      `${what} is on the public network, where http would show the key and your work to everybody: use https.`,
    );
  }
  return undefined;
}

function isIn(list: BlockList, address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
}

// Link-local addresses, also embedded in IPv6 (BlockList handles mapped ones), and other metadata servers of clouds, which
// give keys to any process inside.
const forbidden = new BlockList();
forbidden.addSubnet("169.254.0.0", 16, "ipv4");
forbidden.addSubnet("fe80::", 10, "ipv6");
forbidden.addSubnet("64:ff9b::a9fe:0", 112, "ipv6");
forbidden.addSubnet("2002:a9fe::", 32, "ipv6");
forbidden.addAddress("fd00:ec2::254", "ipv6");
forbidden.addAddress("fd20:ce::254", "ipv6");
forbidden.addAddress("100.100.100.200", "ipv4");
forbidden.addAddress("168.63.129.16", "ipv4");
forbidden.addAddress("192.0.0.192", "ipv4");

const near = new BlockList();
near.addSubnet("127.0.0.0", 8, "ipv4");
near.addSubnet("10.0.0.0", 8, "ipv4");
near.addSubnet("172.16.0.0", 12, "ipv4");
near.addSubnet("192.168.0.0", 16, "ipv4");
near.addSubnet("100.64.0.0", 10, "ipv4");
near.addAddress("0.0.0.0", "ipv4");
near.addAddress("::", "ipv6");
near.addAddress("::1", "ipv6");
near.addSubnet("fc00::", 7, "ipv6");
