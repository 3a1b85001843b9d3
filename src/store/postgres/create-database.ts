// Creates the database of a URL in the private cluster.
import { Client } from "pg";
import { codeOf, toStorageError } from "./storage-error.ts";

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
