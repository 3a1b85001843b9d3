// What authentication and the routes of keys reach: the database behind them.
import type { KeyLookup } from "../keys/authenticate.ts";
import { findKeyByHash, touchKey } from "../store/postgres/api-keys.ts";
import type { Database } from "../store/postgres/open.ts";

/** How a key is found before anybody's tenant is known. */
export function createKeyLookup({ system }: Pick<Database, "system">): KeyLookup {
  return {
    find: (hash) => findKeyByHash(system, hash),
    touch: (key) => touchKey(system, key),
  };
}
