// The host CLI's environment: what it needs to start and find its login, without variables that change who pays, and with
// switches that restrict it to answering.
import { ModelFailure } from "../../model-failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The child gets only the names below from the worker's environment. */
export function hostCliEnvironment(
  environment: Environment,
  limits: { maxOutputTokens: number; deadlineMs: number },
): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(([name]) => isPassed(name));
  return {
    ...Object.fromEntries(passed),
    ...marks,
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(limits.maxOutputTokens),
    // A CLI that outlives a killed worker ends by itself.
    API_TIMEOUT_MS: String(limits.deadlineMs),
  };
}

/**
 * Throws when the environment directs the CLI to a gateway with its own key. The child gets no keys, so the CLI would send
 * the login of the subscription to that gateway.
 */
export function refuseForeignGateway(environment: Environment): void {
  const address = environment.ANTHROPIC_BASE_URL ?? "";
  const hasKey = [environment.ANTHROPIC_API_KEY, environment.ANTHROPIC_AUTH_TOKEN].some(
    (key) => (key ?? "") !== "",
  );
  if (address === "" || !hasKey || isVendorOrLoopback(address)) return;
  throw new ModelFailure(
    "auth",
    "ANTHROPIC_BASE_URL leads the host CLI to a gateway with its own key, and the login of a subscription is not " +
      "sent there: `mem settings set MEM_PRIMARY_AUTH_METHOD gateway`, or start the worker without that variable.",
  );
}

/** Values given to the child that must not appear in a message. */
export function secretsOf(environment: Environment): string[] {
  const names = ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE"];
  return names.map((name) => environment[name] ?? "").filter((secret) => secret !== "");
}

function isVendorOrLoopback(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  return /(^|\.)anthropic\.com$|^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

// Not passed: keys (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN), other payers (CLAUDE_CODE_USE_BEDROCK), nesting marks
// (CLAUDECODE, CLAUDE_CODE_ENTRYPOINT), secrets of other tools and our own MEM_*.
const passedNames = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "CLAUDE_CODE_CERT_STORE"],
  ...["CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE"],
  // The CLI's own login, also as `claude setup-token` stores it.
  ...["CLAUDE_CONFIG_DIR", "CLAUDE_SECURESTORAGE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"],
  "ANTHROPIC_BASE_URL",
  ...["LD_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH"],
  ...["SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "APPDATA"],
  ...["LOCALAPPDATA", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "CLAUDE_CODE_GIT_BASH_PATH"],
]);

// Proxy variables exist in lower case too, and Windows ignores case.
function isPassed(name: string): boolean {
  const spelled = name.toUpperCase();
  return passedNames.has(spelled) || spelled.startsWith("LC_") || spelled.startsWith("XDG_");
}

// Several repeat an argument: a CLI version ignores a variable that it does not know.
const marks = {
  // Our own hooks do nothing when it is set.
  MEM_GENERATING: "1",
  CLAUDE_CODE_SAFE_MODE: "1",
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  // One request per call: the scheduler retries, and a broken stream is billed. So is thinking.
  CLAUDE_CODE_MAX_RETRIES: "0",
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
  MAX_THINKING_TOKENS: "0",
};
