// Readiness: the database answers and has the schema of this version.
import { MemError } from "../core/errors.ts";
import { version } from "../core/version.ts";
import type { HealthPorts } from "../http/v1/health.ts";
import { schemaVersionOf, serverSchemaVersion } from "../store/postgres/migrate.ts";
import type { Database } from "../store/postgres/open.ts";

/** `vectors` is the state of the search by meaning, for the reply. */
export function createHealth({ owner }: Pick<Database, "owner">, vectors?: string): HealthPorts {
  let asked: Promise<number> | undefined;

  // Needs no key, so concurrent requests share one query.
  function currentVersion(): Promise<number> {
    asked ??= schemaVersionOf(owner).finally(() => (asked = undefined));
    return asked;
  }

  return {
    version,
    vectors,
    async demandReady() {
      // A newer schema is fine: migrations only add, and nodes of two versions run together during a deployment.
      if ((await currentVersion()) >= serverSchemaVersion) return;
      throw new MemError("storage_failed", {
        message: "The database does not have the schema of this version.",
        hint: "Run `mem server migrate`.",
      });
    },
  };
}
