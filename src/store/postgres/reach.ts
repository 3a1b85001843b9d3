// First connection to a database: checks the configured one, creates the one of the private cluster.
import { Client } from "pg";
import { codeOf, isMissing } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { readAddress } from "./address.ts";
import { toStorageError } from "./storage-error.ts";

const connectTimeoutMs = 10_000;

/**
 * Connects once. Throws `setting_invalid` for an invalid address, a refused user or an untrusted certificate;
 * `storage_failed` when nothing answers. No message contains the password.
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

// The driver reads the certificate files here.
function createClient(connectionString: string, options: string): Client {
  try {
    return new Client({ connectionString, options, connectionTimeoutMillis: connectTimeoutMs });
  } catch (cause) {
    const reason = isMissing(cause) || /sslmode/.test(String(cause)) ? `: ${textOf(cause)}` : "";
    throw new MemError("setting_invalid", {
      message: `MEM_DATABASE_URL cannot be used${reason}.`,
      hint: "Fix its parameters; sslrootcert, sslcert and sslkey must be files that this process can read.",
      cause,
    });
  }
}

interface Explanation {
  when(code: string, reason: string): boolean;
  says: string;
  hint: string;
  /** `setting_invalid` when the settings have to be fixed. */
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
    hint: "Set its authority with sslrootcert=/path/ca.pem, and use the host name of its certificate; sslmode=require encrypts without checking the server.",
    code: "setting_invalid",
  },
  {
    when: (_code, reason) => /does not support SSL/i.test(reason),
    says: "has no encryption",
    hint: "Turn it on in PostgreSQL (ssl = on), or use sslmode=disable.",
    code: "setting_invalid",
  },
  {
    when: (_code, reason) => /no encryption|SSL off/i.test(reason),
    says: "refuses the connection",
    hint: "It may require encryption: add ?sslmode=require, or sslmode=verify-full with sslrootcert=/path/ca.pem. Otherwise its pg_hba.conf must allow this host, user and database.",
    code: "setting_invalid",
  },
  {
    when: (_code, reason) => /startup parameter/i.test(reason),
    says: "is behind a pooler that accepts no options",
    hint: "Connect to PostgreSQL itself, not the pooler: mem has its own pools.",
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
    hint: "Fix the user, the password or the database name in MEM_DATABASE_URL.",
    code: "setting_invalid",
  },
];

const silence: Explanation = {
  when: () => true,
  says: "does not answer",
  hint: "Check that it runs and can be reached from here, or unset MEM_DATABASE_URL for a private one.",
  code: "storage_failed",
};

// Node 24 adds advice on its own options to errors of TLS.
function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/; if the root CA.*/, "") : String(cause);
}

/** Creates the database of `url` unless it exists; `template` copies one. */
export async function createDatabaseIfMissing(url: string, template = "template1"): Promise<void> {
  const wanted = new URL(url);
  const name = wanted.pathname.slice(1);
  wanted.pathname = "/postgres";
  const client = new Client({ connectionString: wanted.href });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (rowCount === 0) {
      await client.query(
        `create database ${client.escapeIdentifier(name)} template ${client.escapeIdentifier(template)}`,
      );
    }
  } catch (cause) {
    if (codeOf(cause) !== "42P04") throw toStorageError(cause);
  } finally {
    await client.end();
  }
}
