// What the host CLI is started with, and what its answers and errors become.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../../../src/core/clock.ts";
import type { ModelClient } from "../../../../src/generate/model-client.ts";
import { ModelFailure } from "../../../../src/generate/model-failure.ts";
import {
  createSubscriptionClient,
  type SubscriptionOptions,
} from "../../../../src/generate/providers/subscription/client.ts";
import { type HostCliHome, hostCli, hostCliHome, playing } from "../../../helpers/host-cli.ts";

const model = "claude-haiku-4-5-20251001";
const clock: Clock = { now: () => Date.UTC(2026, 10, 21, 18, 0), monotonicMs: () => 0 };

function clientIn(home: HostCliHome, changes: Partial<SubscriptionOptions> = {}): ModelClient {
  const { directory, environment } = home;
  const client = createSubscriptionClient({
    command: hostCli,
    model,
    environment,
    directory,
    clock,
    ...changes,
  });
  onTestFinished(() => client.close());
  return client;
}

/** A command that writes what the host CLI wrote for `play`: a shell starts ten times as fast. */
function recordedIn({ environment }: HostCliHome, play: string): Partial<SubscriptionOptions> {
  if (!(play in recorded)) return {};
  const { stdout, exitCode } = recorded[play];
  const command = join(environment.HOME ?? "", "recorded");
  const script = `#!/bin/sh\ncat >/dev/null\ncat <<'END'\n${stdout}\nEND\nexit ${exitCode}\n`;
  writeFileSync(command, script, { mode: 0o700 });
  return { command };
}

const recorded = JSON.parse(readFileSync(join(hostCli, "..", "recorded.json"), "utf8"));

async function failure(client: ModelClient, play: string): Promise<ModelFailure> {
  const thrown: unknown = await client
    .complete(playing(play), new AbortController().signal)
    .catch((error) => error);
  if (!(thrown instanceof ModelFailure)) throw new Error(`no ModelFailure but ${String(thrown)}`);
  return thrown;
}

const never = new AbortController().signal;

describe("what the host CLI gets", () => {
  test("the arguments are these and no others, the prompt comes by stdin", async () => {
    const home = hostCliHome();
    const request = playing("plain");
    await clientIn(home).complete(request, never);
    const run = await home.run();
    expect(run.args).toEqual([
      "--print",
      "--output-format",
      "json",
      "--model",
      model,
      "--system-prompt",
      request.system,
      "--tools",
      "",
      "--setting-sources",
      "",
      "--settings",
      '{"disableAllHooks":true,"permissions":{"deny":["Read"]}}',
      "--strict-mcp-config",
      "--disable-slash-commands",
      "--no-session-persistence",
    ]);
    expect(run.input).toBe(request.prompt);
  });

  test("a text that looks like a command stays a text", async () => {
    const home = hostCliHome();
    await clientIn(home).complete({ ...playing(""), prompt: "/help play:plain" }, never);
    const run = await home.run();
    expect(run.input).toBe("\n/help play:plain");
  });

  test("its environment has its own login, no keys, payers, marks or secrets", async () => {
    const canaries = {
      ANTHROPIC_API_KEY: "canary",
      ANTHROPIC_AUTH_TOKEN: "canary",
      CLAUDE_CODE_USE_BEDROCK: "canary",
      ANTHROPIC_MODEL: "canary",
      CLAUDECODE: "canary",
      CLAUDE_CODE_ENTRYPOINT: "canary",
      AWS_SECRET_ACCESS_KEY: "canary",
      MEM_DATA_DIR: "canary",
      NODE_OPTIONS: "--title=canary",
    };
    const passed = {
      CLAUDE_CODE_OAUTH_TOKEN: "made-up",
      CLAUDE_CONFIG_DIR: "/made/up",
      https_proxy: "http://127.0.0.1:9",
      LC_ALL: "C",
    };
    const home = hostCliHome({ ...canaries, ...passed });
    await clientIn(home).complete(playing("plain"), never);
    const { env } = await home.run();
    // What the shell of the recorded CLI adds by itself.
    for (const name of ["PWD", "OLDPWD", "SHLVL", "_"]) delete env[name];
    expect(env).toEqual({
      PATH: home.environment.PATH,
      HOME: home.environment.HOME,
      ...passed,
      MEM_GENERATING: "1",
      CLAUDE_CODE_SAFE_MODE: "1",
      CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
      CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
      MAX_THINKING_TOKENS: "0",
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: "4096",
      API_TIMEOUT_MS: "120000",
    });
  });

  test("it works in an empty folder that only the user can enter", async () => {
    const home = hostCliHome();
    mkdirSync(home.directory, { recursive: true });
    chmodSync(home.directory, 0o755);
    await clientIn(home).complete(playing("plain"), never);
    const { cwd } = await home.run();
    expect(cwd).toBe(realpathSync(join(home.directory, "empty")));
    expect(readdirSync(cwd)).toEqual([]);
    expect([home.directory, cwd].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  test.each([
    ["https://gateway.example", false],
    ["http://127.0.0.1:4000", true],
    ["https://api.anthropic.com", true],
  ])("with a key beside the address %s the login is sent there: %s", async (address, isAsked) => {
    const home = hostCliHome({ ANTHROPIC_BASE_URL: address, ANTHROPIC_AUTH_TOKEN: "made-up" });
    const answer = clientIn(home).complete(playing("plain"), never);
    await (isAsked ? answer : expect(answer).rejects.toMatchObject({ kind: "auth" }));
    expect(home.runs()).toHaveLength(isAsked ? 1 : 0);
  });
});

describe("what comes back", () => {
  const nothing = '{"observations":[],"summaries":[],"nothing":true}';
  const usage = { inputTokens: 200, outputTokens: 40, cachedTokens: 50 };

  test.each([
    ["plain", nothing, "end", usage],
    ["warned", nothing, "end", usage],
    ["listed", nothing, "end", usage],
    // The CLI asks again where an answer is cut off or refused.
    ["length", "", "length", { inputTokens: 800, outputTokens: 160, cachedTokens: 200 }],
    ["refused", "", "refused", { inputTokens: 400, outputTokens: 80, cachedTokens: 100 }],
  ])("%s is an answer with its tokens", async (play, text, stopped, counted) => {
    const home = hostCliHome();
    const answer = await clientIn(home, recordedIn(home, play)).complete(playing(play), never);
    expect(answer).toEqual({ text, stopped, model, usage: counted });
  });
  const fixes: Record<string, unknown> = { logged_out: "key", no_model: "model", "too-old": undefined };
  test.each([
    ["rate_limited", "rate_limited", undefined],
    ["five_hour", "quota", 126 * 60_000],
    ["weekly", "quota", (3 * 24 * 60 + 6) * 60_000],
    ["old-limit", "quota", 1_893_456_000_000 - clock.now()],
    ["credit", "quota", undefined],
    ["unauthorized", "auth", undefined],
    ["expired", "auth", undefined],
    ["logged_out", "auth", undefined],
    ["bad-key", "auth", undefined],
    ["no_model", "auth", undefined],
    ["too-old", "auth", undefined],
    ["server_error", "unavailable", undefined],
    ["overloaded", "unavailable", undefined],
    ["cut", "unavailable", undefined],
    ["timeout", "timeout", undefined],
    ["too_long", "overflow", undefined],
    ["bad_request", "bad_request", undefined],
    ["empty", "bad_answer", undefined],
    ["garbage", "bad_answer", undefined],
    ["flood", "bad_answer", undefined],
    ["complain", "unavailable", undefined],
    ["wordless", "unavailable", undefined],
    ["mute", "unavailable", undefined],
    ["crash", "unavailable", undefined],
  ])("%s is %s", async (play, kind, retryAfterMs) => {
    const home = hostCliHome();
    const thrown = await failure(clientIn(home, recordedIn(home, play)), play);
    expect({ kind: thrown.kind, retryAfterMs: thrown.retryAfterMs }).toEqual({ kind, retryAfterMs });
    expect(thrown.message.length).toBeLessThan(500);
    // Another login is asked for only where it helps.
    if (play in fixes) expect(thrown.fix).toBe(fixes[play]);
    expect(home.processes()).toEqual([]);
    expect(readdirSync(join(home.directory, "calls"))).toEqual([]);
  });

  test("the message holds the last line without secrets and without control characters", async () => {
    const { message } = await failure(clientIn(hostCliHome()), "complain");
    expect(message).toContain("fatal: config has");
    expect(message).not.toMatch(/kkkk|\p{Cc}|warming up/u);
  });

  test.each([
    ["is not there", (_path: string) => undefined],
    ["may not be run", (path: string) => writeFileSync(path, "#!/bin/sh\n", { mode: 0o600 })],
    ["is a folder", (path: string) => mkdirSync(path)],
  ])("a command that %s is a pause that names the setting", async (_what, make) => {
    const home = hostCliHome();
    const command = join(home.environment.HOME ?? "", "claude");
    make(command);
    const thrown = await failure(clientIn(home, { command }), "plain");
    expect({ kind: thrown.kind, fix: thrown.fix }).toEqual({ kind: "auth", fix: "command" });
    expect(thrown.message).toContain("mem settings set HOST_CLI_PATH");
    expect(clientIn(home, { command }).fault?.()).toMatchObject({
      fix: "command",
      message: thrown.message,
    });
    expect(existsSync(join(home.directory, "calls"))).toBe(true);
  });
});
