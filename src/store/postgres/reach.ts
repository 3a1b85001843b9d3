// Whether the database that the settings name can be reached, said to who runs the server before anything starts.
import { Client } from "pg";
import { MemError } from "../../core/errors.ts";
import { readAddress } from "./address.ts";
import { codeOf } from "./storage-error.ts";

const connectTimeoutMs = 10_000;

/**
 * Connects once. Throws `setting_invalid` for what is no address of a PostgreSQL, and where it refuses the user or is not
 * to be trusted; `storage_failed` where nothing answers. No sentence holds the password.
 */
export async function demandDatabase(url: string): Promise<void> {
  const { connectionString, options, place } = readAddress(url);
  const client = createClient(connectionString, `${options}-c search_path=mem`);
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    throw explained(place, cause);
  } finally {
    await client.end().catch(() => undefined);
  }
}

// The driver reads the files of certificates here.
function createClient(connectionString: string, options: string): Client {
  try {
    return new Client({ connectionString, options, connectionTimeoutMillis: connectTimeoutMs });
  } catch (cause) {
    const reason = codeOf(cause) === "ENOENT" || /sslmode/.test(String(cause)) ? `: ${textOf(cause)}` : "";
    throw new MemError("setting_invalid", {
      message: `MEM_DATABASE_URL cannot be used${reason}.`,
      hint: "Mend its parameters; sslrootcert, sslcert and sslkey name files that this process can read.",
      cause,
    });
  }
}

interface Explanation {
  when(code: string, reason: string): boolean;
  says: string;
  hint: string;
  /** `setting_invalid` where the settings are what has to be mended. */
  code: "setting_invalid" | "storage_failed";
}

function explained(place: string, cause: unknown): MemError {
  const code = codeOf(cause);
  const reason = textOf(cause);
  const { says, hint, code: ours } = explanations.find(({ when }) => when(code, reason)) ?? silence;
  return new MemError(ours, {
    message: `The database of MEM_DATABASE_URL (${place}) ${says}: ${code === "" || reason.includes(code) ? reason : `${reason} (${code})`}.`,
    hint,
    cause,
  });
}

const explanations: readonly Explanation[] = [
  {
    when: (code) => /CERT|ERR_TLS|UNABLE_TO|SELF_SIGNED/.test(code),
    says: "is not trusted",
    hint: "Name its authority with sslrootcert=/path/ca.pem, and the host as its certificate has it; sslmode=require encrypts without asking who it is.",
    code: "setting_invalid",
  },
  {
    when: (_code, reason) => /does not support SSL/i.test(reason),
    says: "has no encryption",
    hint: "Switch it on in PostgreSQL (ssl = on), or use sslmode=disable.",
    code: "setting_invalid",
  },
  {
    when: (_code, reason) => /no encryption|SSL off/i.test(reason),
    says: "refuses the connection",
    hint: "It may want encryption: add ?sslmode=require, or sslmode=verify-full with sslrootcert=/path/ca.pem. Else its pg_hba.conf has to let this host, user and database in.",
    code: "setting_invalid",
  },
  {
    when: (_code, reason) => /startup parameter/i.test(reason),
    says: "is behind a pooler that takes no options",
    hint: "Name PostgreSQL itself, not the pooler: mem keeps pools of its own.",
    code: "setting_invalid",
  },
  {
    when: (code) => code === "53300",
    says: "has no connection left",
    hint: "Raise its max_connections, or lower MEM_DATABASE_CONNECTIONS.",
    code: "storage_failed",
  },
  {
    when: (code, reason) => /^(28|3D)/.test(code) || /password|SASL|role|user/i.test(reason),
    says: "refuses the connection",
    hint: "Mend the user, the password or the database's name in MEM_DATABASE_URL.",
    code: "setting_invalid",
  },
];

const silence: Explanation = {
  when: () => true,
  says: "does not answer",
  hint: "See whether it runs and can be reached from here, or unset MEM_DATABASE_URL for a private one.",
  code: "storage_failed",
};

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
