// The contract of all model clients, held by the one that asks through the host CLI. MEM_TRIAL_HOST_CLI=<path> runs it
// with a real one instead of the recorded.
import { createSubscriptionClient } from "../../../../src/generate/providers/subscription/client.ts";
import { describeModelClient } from "../../../contracts/model-client.ts";
import { hostCli, hostCliHome } from "../../../helpers/host-cli.ts";

// A program has to start before it can ask: the shortest deadlines of the suite are over by then.
const realCli = process.env.MEM_TRIAL_HOST_CLI;
const shortestMs = 3_000;

describeModelClient({
  name: "of the host CLI",
  wire: "messages",
  create({ url, key, timeoutMs, now }) {
    const { directory, environment } = hostCliHome({ ANTHROPIC_BASE_URL: url, CLAUDE_CODE_OAUTH_TOKEN: key });
    return createSubscriptionClient({
      command: realCli ?? hostCli,
      model: "claude-haiku-4-5-20251001",
      environment,
      directory,
      clock: { now, monotonicMs: now },
      deadlineMs: Math.max(timeoutMs, shortestMs),
    });
  },
  lacks: {
    usage: "the CLI sends a system text of its own before ours, and its counts include it",
    "retry-after": "the CLI tells when a limit ends, not what the server's headers say",
    schema: "the CLI would answer by a tool then, see arguments.ts",
    connection: "the CLI's own",
    ...(realCli === undefined && {
      variants: "the recorded CLI words them; client.test.ts has what each becomes",
    }),
    words: "a refused login is `Not logged in` to the CLI, whatever the server says",
  },
});
