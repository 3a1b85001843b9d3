// Whether the server can serve: its database answers, with the schema of this version.
import { MemError } from "../errors.ts";
import type { HealthPorts } from "../http/v1/health.ts";
import { schemaVersionOf, serverSchemaVersion } from "../store/postgres/migrate.ts";
import type { Database } from "../store/postgres/open.ts";
import { version } from "../version.ts";

export function createHealth({ owner }: Pick<Database, "owner">): HealthPorts {
  return {
    version,
    async demandReady() {
      // A newer schema is fine: migrations only add, and old and new nodes run side by side while a team deploys.
      if ((await schemaVersionOf(owner)) >= serverSchemaVersion) return;
      throw new MemError("storage_failed", {
        message: "The database does not have the schema of this version.",
        hint: "Run `mem server migrate`.",
      });
    },
  };
}
