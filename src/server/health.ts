// Whether the server can serve: its database answers, with the schema of this version.
import { MemError } from "../core/errors.ts";
import { version } from "../core/version.ts";
import type { HealthPorts } from "../http/v1/health.ts";
import { schemaVersionOf, serverSchemaVersion } from "../store/postgres/migrate.ts";
import type { Database } from "../store/postgres/open.ts";

/** `vectors` says whether there is a search by meaning; left out, nothing is said. */
export function createHealth({ owner }: Pick<Database, "owner">, vectors?: string): HealthPorts {
  let asked: Promise<number> | undefined;

  // Anybody may ask, without a key: however many do, it is one question at a time.
  function currentVersion(): Promise<number> {
    asked ??= schemaVersionOf(owner).finally(() => (asked = undefined));
    return asked;
  }

  return {
    version,
    vectors,
    async demandReady() {
      // A newer schema is fine: migrations only add, and old and new nodes run side by side while a team deploys.
      if ((await currentVersion()) >= serverSchemaVersion) return;
      throw new MemError("storage_failed", {
        message: "The database does not have the schema of this version.",
        hint: "Run `mem server migrate`.",
      });
    },
  };
}
