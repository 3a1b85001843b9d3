// Checks whether only this machine can reach an address.
import { isIPv4 } from "node:net";

/** True for a name or address of the loopback interface. A name such as `127.example.com` may lead anywhere. */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
