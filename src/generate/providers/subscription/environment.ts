// The host CLI's environment: what it needs to start and to find its login, nothing that changes who pays, and the marks
// that keep it from doing more than answering.
import { ModelFailure } from "../../model-failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The child's environment, made anew: of the worker's only the names below are in it. */
export function hostCliEnvironment(
  environment: Environment,
  limits: { maxOutputTokens: number; deadlineMs: number },
): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(([name]) => isPassed(name));
  return {
    ...Object.fromEntries(passed),
    ...marks,
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(limits.maxOutputTokens),
    // One that outlives a killed worker gives up by itself.
    API_TIMEOUT_MS: String(limits.deadlineMs),
  };
}

/**
 * Throws where the environment leads the CLI to a gateway with a key of the gateway's own. Keys are left out of the
 * child's environment, so the CLI would send the login of the subscription there instead.
 */
export function refuseForeignGateway(environment: Environment): void {
  const address = environment.ANTHROPIC_BASE_URL ?? "";
  const hasKey = [environment.ANTHROPIC_API_KEY, environment.ANTHROPIC_AUTH_TOKEN].some(
    (key) => (key ?? "") !== "",
  );
  if (address === "" || !hasKey || isVendorOrLoopback(address)) return;
  throw new ModelFailure(
    "auth",
    "ANTHROPIC_BASE_URL leads the host CLI to a gateway with a key of its own, and the login of a subscription is not " +
      "sent there: `mem settings set MEM_PRIMARY_AUTH_METHOD gateway`, or start the worker without that variable.",
  );
}

/** What the child is given that must not come back in a message. */
export function secretsOf(environment: Environment): string[] {
  const names = ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE"];
  return names.map((name) => environment[name] ?? "").filter((secret) => secret !== "");
}

function isVendorOrLoopback(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  return /(^|\.)anthropic\.com$|^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

// Keys (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN), other payers (CLAUDE_CODE_USE_BEDROCK), nesting marks (CLAUDECODE,
// CLAUDE_CODE_ENTRYPOINT), secrets of other tools and our own MEM_* are not named, so they stay outside.
const passedNames = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "CLAUDE_CODE_CERT_STORE"],
  ...["CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE"],
  // Where the CLI's own login lies, and the form of it that `claude setup-token` makes.
  ...["CLAUDE_CONFIG_DIR", "CLAUDE_SECURESTORAGE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"],
  "ANTHROPIC_BASE_URL",
  ...["LD_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH"],
  ...["SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "APPDATA"],
  ...["LOCALAPPDATA", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "CLAUDE_CODE_GIT_BASH_PATH"],
]);

// Proxies are spelled in lower case too, and Windows spells names as it likes.
function isPassed(name: string): boolean {
  const spelled = name.toUpperCase();
  return passedNames.has(spelled) || spelled.startsWith("LC_") || spelled.startsWith("XDG_");
}

// Several say what an argument says as well: a mark that a version does not know is ignored, so each is a second lock.
const marks = {
  // Our own hooks do nothing where they see it.
  MEM_GENERATING: "1",
  CLAUDE_CODE_SAFE_MODE: "1",
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  // One request a call: the loop has pauses of its own, and a stream that broke was billed. So is thinking, as output.
  CLAUDE_CODE_MAX_RETRIES: "0",
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
  MAX_THINKING_TOKENS: "0",
};
