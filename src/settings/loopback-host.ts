// Whether an address that the worker binds to is reached from this machine alone.

/** True for a name or address of the loopback interface. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
