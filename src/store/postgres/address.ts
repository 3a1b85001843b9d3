// What MEM_DATABASE_URL says, for the driver: its parameters mean what PostgreSQL's own programs take them for.
import { MemError } from "../../core/errors.ts";

export interface DatabaseAddress {
  /** For the driver. */
  connectionString: string;
  /** The `options` that the address has; some hosts are told by them which database is meant. */
  options: string;
  /** Host, port and database, for people: no part of it is secret. */
  place: string;
}

const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/** Throws `setting_invalid`, in words that hold nothing of the address. */
export function readAddress(text: string): DatabaseAddress {
  // `user@/database?host=/socket` is how libpq's users write a socket; a URL must have a host there.
  const url = text.replace(/^(postgres(?:ql)?:\/\/[^/@?#]*@)(?=[/?])/, "$1localhost");
  const place = placeOf(url);
  const [address = "", ...query] = url.split("?");
  const parameters = new URLSearchParams(query.join("?"));
  // Taken out, since the driver takes the address' word over ours: without our own there is no role, and with it no
  // row-level security.
  const options = parameters.getAll("options").map((each) => `${each} `);
  parameters.delete("options");
  setEncryption(parameters);
  const rest = parameters.size === 0 ? "" : `?${parameters}`;
  return { connectionString: `${address}${rest}`, options: options.join(""), place };
}

function placeOf(url: string): string {
  if (URL.canParse(url)) {
    const { protocol, hostname, port, pathname, searchParams, search, hash } = new URL(url);
    // A password that holds / ? or # ends the host's part too early, and its rest would be shown as the database.
    const isCutShort = `${pathname}${search}${hash}`.includes("@");
    if (/^postgres(ql)?:$/.test(protocol) && !isCutShort) {
      const [host, at] = [searchParams.get("host") ?? hostname, searchParams.get("port") ?? port];
      return `${host}:${at || "5432"}${pathname}`;
    }
  }
  throw new MemError("setting_invalid", {
    message: "MEM_DATABASE_URL is no address of a PostgreSQL.",
    hint: "It is written postgresql://user:password@host:5432/database, with : / ? # @ % in user and password as %3A %2F %3F %23 %40 %25, a socket as postgresql://user@/database?host=/directory; unset it for a private one.",
  });
}

// The driver by itself takes `require` for `verify-full`, warns of it, and takes no `sslrootcert=system`.
function setEncryption(parameters: URLSearchParams): void {
  if (parameters.get("sslrootcert") === "system") {
    parameters.delete("sslrootcert");
    parameters.set("sslmode", "verify-full");
  }
  const mode = parameters.get("sslmode");
  if (mode === null) return;
  if (!sslModes.includes(mode)) {
    throw new MemError("setting_invalid", {
      message: "MEM_DATABASE_URL has an sslmode that there is not.",
      hint: `It is one of ${sslModes.join(", ")}.`,
    });
  }
  if (mode === "allow") parameters.set("sslmode", "prefer");
  if (mode !== "no-verify" && !parameters.has("uselibpqcompat")) parameters.set("uselibpqcompat", "true");
}
