// Writes docs/configuration.md from the tables of settings.
import { acceptedBy, type Definition } from "../../src/settings/definition.ts";
import { serverTable } from "../../src/settings/server.ts";
import { settingsTable } from "../../src/settings/table.ts";

/** The whole document. `npm run docs` writes it to disk. */
export function configurationDocument(): string {
  const shared = Object.keys(serverTable).filter((key) => key in settingsTable);
  const own = Object.entries(serverTable).filter(([key]) => !shared.includes(key));
  return [
    "# Configuration",
    "",
    "<!-- Generated from the tables in src/settings/ by `npm run docs`. -->",
    "",
    "```sh",
    "mem settings list                 # every setting, its value and its origin",
    "mem settings set MEM_SKIP_TOOLS WebSearch,TodoWrite",
    "```",
    "",
    "Settings are in `~/.mem/settings.json`. An environment variable of the same name takes precedence. A change takes effect",
    "at the next `mem worker restart`, unless the table says `now`. Keys of the `primary` provider are in `~/.mem/.env`",
    "(`LLM_API_KEY`, `LLM_BASE_URL`, `LLM_AUTH_TOKEN`).",
    "",
    ...settingRows(Object.entries(settingsTable)),
    "",
    "## Server",
    "",
    "`mem server` reads these from the environment only; an invalid value stops the start. It also reads",
    `${shared.map((key) => `\`${key}\``).join(", ")} and the settings of the model providers above.`,
    "",
    ...settingRows(own),
    "",
  ].join("\n");
}

function settingRows(settings: readonly (readonly [string, Definition])[]): string[] {
  return [
    "| setting | default | accepts | meaning |",
    "| --- | --- | --- | --- |",
    ...settings.map(([key, definition]) => {
      const now = definition.effect === "live" ? " Takes effect now." : "";
      const cells = [
        `\`${key}\``,
        defaultOf(key, definition),
        acceptedBy(definition),
        definition.description + now,
      ];
      return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    }),
  ];
}

// The port's default depends on the user id.
function defaultOf(key: string, definition: Definition): string {
  if (key === "MEM_WORKER_PORT") return "`37700` + user id modulo 100";
  return definition.default === "" ? "empty" : `\`${definition.default}\``;
}
