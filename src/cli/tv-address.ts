// Addresses of the TV page as other devices open it, and their QR code.
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

export interface TvPage {
  /** MEM_WORKER_HOST. */
  host: string;
  port: number;
  token: string;
  /** Shows records of this project only. */
  project?: string | undefined;
  /** Shows records of this host agent only. */
  source?: string | undefined;
}

/** Every address under which another device may reach the page, the likeliest first. */
export function tvUrls({ host, port, token, project, source }: TvPage): string[] {
  const query = new URLSearchParams({
    token,
    ...(project === undefined ? {} : { project }),
    ...(source === undefined ? {} : { source }),
  });
  const names = isWildcard(host) ? machineAddresses(host) : [host];
  return names.map((name) => `http://${isIPv6(name) ? `[${name}]` : name}:${port}/tv?${query}`);
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** Addresses of this machine on its networks. A wildcard of IPv4 takes no IPv6. */
export function machineAddresses(wildcard: string): string[] {
  const all = addresses().filter(
    // A link-local IPv6 address needs the name of an interface of the other machine.
    ({ family, address }) => family === "IPv4" || (wildcard === "::" && !/^fe[89ab]/i.test(address)),
  );
  const outside = all.filter(({ name }) => !ofVirtualMachines.test(name));
  const shown = outside.length > 0 ? outside : all;
  return shown.toSorted((one, other) => one.family.localeCompare(other.family)).map(({ address }) => address);
}

// Networks between this machine and its containers and virtual machines.
const ofVirtualMachines = /^(docker|br-|veth|virbr|vboxnet|vmnet|lxc|lxd|cni|podman|vethernet)/i;

interface Address {
  name: string;
  address: string;
  family: "IPv4" | "IPv6";
}

function addresses(): Address[] {
  return Object.entries(networkInterfaces()).flatMap(([name, found = []]) =>
    found.filter(({ internal }) => !internal).map(({ address, family }) => ({ name, address, family })),
  );
}

/** The QR code of `text`: black on white in every theme; null when it is wider than `columns`. */
export async function qrLines(text: string, columns: number): Promise<string[] | null> {
  const { encodeQR } = await import("qr");
  const lines = encodeQR(text, "ascii", { ecc: "low", border: 2 }).trimEnd().split("\n");
  if (lines.some((line) => line.length > columns)) return null;
  return lines.map((line) => `\x1b[97;40m${line}\x1b[0m`);
}
