// Whether the database that the settings name can be reached, said to who runs the server before anything starts.
import { Client } from "pg";
import { MemError } from "../../errors.ts";
import { codeOf } from "./storage-error.ts";

const connectTimeoutMs = 10_000;

/**
 * Connects once. Throws `setting_invalid` for what is no address of a PostgreSQL, and where it refuses the user;
 * `storage_failed` where nothing answers. No sentence holds the password.
 */
export async function demandDatabase(url: string): Promise<void> {
  const where = placeOf(url);
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    throw explained(where, cause);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function placeOf(url: string): string {
  if (URL.canParse(url)) {
    const { protocol, hostname, port, pathname, searchParams } = new URL(url);
    if (/^postgres(ql)?:$/.test(protocol)) {
      return `${searchParams.get("host") ?? hostname}:${port || "5432"}${pathname}`;
    }
  }
  throw new MemError("setting_invalid", {
    message: "MEM_DATABASE_URL is no address of a PostgreSQL.",
    hint: "It is written postgresql://user:password@host:5432/database; unset it for a private one.",
  });
}

function explained(where: string, cause: unknown): MemError {
  const code = codeOf(cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  const refused = /^(28|3D)/.test(code) || /password|SASL|role|user/i.test(reason);
  return new MemError(refused ? "setting_invalid" : "storage_failed", {
    message: `The database of MEM_DATABASE_URL (${where}) ${refused ? "refuses the connection" : "does not answer"}: ${code === "" || reason.includes(code) ? reason : `${reason} (${code})`}.`,
    hint: refused
      ? "Mend the user, the password or the database's name in MEM_DATABASE_URL."
      : "See whether it runs and can be reached from here, or unset MEM_DATABASE_URL for a private one.",
    cause,
  });
}
