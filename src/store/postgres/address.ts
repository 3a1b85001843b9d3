// Parses MEM_DATABASE_URL for the driver, with the meaning that libpq gives its parameters.
import { MemError } from "../../core/errors.ts";

export interface DatabaseAddress {
  /** For the driver. */
  connectionString: string;
  /** The `options` parameter; some providers select the database with it. */
  options: string;
  /** Host, port and database, for messages; contains no secret. */
  place: string;
}

const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/** Throws `setting_invalid`; the message quotes nothing of the address. */
export function readAddress(text: string): DatabaseAddress {
  // libpq accepts `user@/database?host=/socket`; a URL needs a host.
  const url = text.replace(/^(postgres(?:ql)?:\/\/[^/@?#]*@)(?=[/?])/, "$1localhost");
  const place = placeOf(url);
  const [address = "", ...query] = url.split("?");
  const parameters = new URLSearchParams(query.join("?"));
  // Removed, because the driver prefers them to ours, which set the role, and with it row-level security.
  const options = parameters.getAll("options").map((each) => `${each} `);
  parameters.delete("options");
  setEncryption(parameters);
  const rest = parameters.size === 0 ? "" : `?${parameters}`;
  return { connectionString: `${address}${rest}`, options: options.join(""), place };
}

function placeOf(url: string): string {
  if (URL.canParse(url)) {
    const { protocol, hostname, port, pathname, searchParams, search, hash } = new URL(url);
    // A / ? or # in the password ends the host too early, and the rest would be shown as the database.
    const isCutShort = `${pathname}${search}${hash}`.includes("@");
    if (/^postgres(ql)?:$/.test(protocol) && !isCutShort) {
      const [host, at] = [searchParams.get("host") ?? hostname, searchParams.get("port") ?? port];
      return `${host}:${at || "5432"}${pathname}`;
    }
  }
  throw new MemError("setting_invalid", {
    message: "MEM_DATABASE_URL is not a PostgreSQL address.",
    hint: "Use postgresql://user:password@host:5432/database, with : / ? # @ % in user and password as %3A %2F %3F %23 %40 %25; for a socket postgresql://user@/database?host=/directory. Unset it for a private one.",
  });
}

// By default the driver treats `require` as `verify-full` with a warning, and rejects `sslrootcert=system`.
function setEncryption(parameters: URLSearchParams): void {
  if (parameters.get("sslrootcert") === "system") {
    parameters.delete("sslrootcert");
    parameters.set("sslmode", "verify-full");
  }
  const mode = parameters.get("sslmode");
  if (mode === null) return;
  if (!sslModes.includes(mode)) {
    throw new MemError("setting_invalid", {
      message: "MEM_DATABASE_URL has an unknown sslmode.",
      hint: `Use one of ${sslModes.join(", ")}.`,
    });
  }
  if (mode === "allow") parameters.set("sslmode", "prefer");
  if (mode !== "no-verify" && !parameters.has("uselibpqcompat")) parameters.set("uselibpqcompat", "true");
}
