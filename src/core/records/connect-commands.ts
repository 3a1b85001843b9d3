// Shell lines that connect each host agent to the recall of a hosted server, with every word quoted.

/** The hosts with a line. */
export const connectHosts = ["claude-code", "codex", "gemini-cli", "cursor", "opencode"] as const;
export type ConnectHost = (typeof connectHosts)[number];

/** Placeholder for the key in lines shown without one. */
export const keyPlaceholder = "<YOUR_API_KEY>";

/** The name of the server in hosts; different from the local `mem mcp`, so that a machine can have both. */
const serverName = "mem-team";
/** Codex takes the name of a variable instead of the key. */
const keyVariable = "MEM_API_KEY";

export interface Connection {
  mcpUrl: string;
  apiKey: string;
}

/** The line for each host. */
export function connectCommands(connection: Connection): Record<ConnectHost, string> {
  return {
    "claude-code": shellLine(connectWords["claude-code"](connection)),
    codex: shellLine(connectWords.codex(connection)),
    "gemini-cli": shellLine(connectWords["gemini-cli"](connection)),
    cursor: shellLine(connectWords.cursor(connection)),
    opencode: shellLine(connectWords.opencode(connection)),
  };
}

/** Notes on the lines. */
export const connectHint =
  "Paste the line of your agent into a shell. Codex reads MEM_API_KEY from its environment whenever it starts. The line of OpenCode is for one run; to keep the server, put its JSON into opencode.json.";

type Words = readonly (string | { operator: "&&" })[];

const connectWords: Record<ConnectHost, (connection: Connection) => Words> = {
  "claude-code": ({ mcpUrl, apiKey }) => [
    ...["claude", "mcp", "add", "--transport", "http", serverName, mcpUrl],
    ...["--header", `Authorization: Bearer ${apiKey}`],
  ],
  codex: ({ mcpUrl, apiKey }) => [
    ...["export", `${keyVariable}=${apiKey}`, { operator: "&&" } as const],
    ...["codex", "mcp", "add", serverName, "--url", mcpUrl, "--bearer-token-env-var", keyVariable],
  ],
  "gemini-cli": ({ mcpUrl, apiKey }) => [
    ...["gemini", "mcp", "add", "--transport", "http", "--header", `Authorization: Bearer ${apiKey}`],
    ...[serverName, mcpUrl],
  ],
  cursor: (connection) => {
    const config = encodeURIComponent(btoa(JSON.stringify(remote(connection))));
    const link = `cursor://anysphere.cursor-deeplink/mcp/install?name=${serverName}&config=${config}`;
    return ["cursor", "--open-url", link];
  },
  opencode: (connection) => {
    const config = { mcp: { [serverName]: { type: "remote", ...remote(connection), enabled: true } } };
    return ["env", `OPENCODE_CONFIG_CONTENT=${JSON.stringify(config)}`, "opencode"];
  },
};

function remote({ mcpUrl, apiKey }: Connection) {
  return { url: mcpUrl, headers: { Authorization: `Bearer ${apiKey}` } };
}

function shellLine(words: Words): string {
  return words.map((word) => (typeof word === "string" ? quoted(word) : word.operator)).join(" ");
}

// Bare words have no characters with a meaning in shells; in single quotes only the closing quote has one.
function quoted(word: string): string {
  return /^[A-Za-z0-9_/.:,@+-][A-Za-z0-9_/.:,@+=-]*$/.test(word)
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
