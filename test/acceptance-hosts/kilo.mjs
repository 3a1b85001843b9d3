// Kilo CLI for the acceptance of hosts: OpenCode under other names.
import { opencode } from "./opencode.mjs";

const platform = `${process.platform}-${process.arch}`;

export const kilo = {
  ...opencode,
  name: "kilo",
  // A script would only put the program of the second into the place of the first.
  package: ["@kilocode/cli@7.7.7", `@kilocode/cli-${platform}@7.7.7`],
  program: "kilo",
  binary: `@kilocode/cli-${platform}/bin/kilo`,
  needsScripts: false,
  environment: () => ({ KILO_DISABLE_AUTOUPDATE: "1", KILO_DISABLE_MODELS_FETCH: "1" }),
};
