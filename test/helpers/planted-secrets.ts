// Synthetic secrets in the places where tools show them. Made at run time, so that no scanner takes this file for a leak.
import { createRandom, type Random } from "./random.ts";
import { sampleProse, sampleText } from "./sample-text.ts";

export interface PlantedSecret {
  kind: string;
  context: string;
  text: string;
  /** What must not survive: the secret, or the parts that a document spreads it over. */
  secrets: readonly string[];
}

/** Every kind in every context, the values drawn from `seed`. */
export function plantedSecrets(seed: number): PlantedSecret[] {
  const random = createRandom(seed);
  return kinds(random).flatMap((secret) => contextsOf(secret, random));
}

interface Kind {
  kind: string;
  /** Name under which it usually stands, in upper case. */
  name: string;
  make: () => string;
  /** How it stands in a curl command and in a URL, where that is not a bearer header and a query parameter. */
  curl?: (value: string) => string;
  url?: (value: string) => string;
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const hex = "0123456789abcdef";
const base62 = digits + lower + upper;
const base64url = `${base62}-_`;

function kinds(random: Random): Kind[] {
  const of = (length: number, letters = base62) => sampleText(random, length, letters);
  const row = (kind: string, name: string, make: () => string): Kind => ({ kind, name, make });
  const userOf = (value: string) => `postgres://app:${value}@db.example.com:5432/app`;
  return [
    row("aws-key", "AWS_ACCESS_KEY_ID", () => `AKIA${of(16, `${upper}234567`)}`),
    row("aws-secret", "AWS_SECRET_ACCESS_KEY", () => of(40, `${base62}+/`)),
    row("github", "GITHUB_TOKEN", () => `ghp_${of(36)}`),
    row("github-fine", "GH_TOKEN", () => `github_pat_${of(22)}_${of(59)}`),
    row("gitlab", "GITLAB_TOKEN", () => `glpat-${of(20, base64url)}`),
    row("slack", "SLACK_BOT_TOKEN", () => `xoxb-${of(12, digits)}-${of(12, digits)}-${of(24)}`),
    row(
      "slack-webhook",
      "SLACK_URL",
      () => `https://hooks.slack.com/services/T${of(8, upper)}/B${of(8, upper)}/${of(24)}`,
    ),
    row("stripe", "STRIPE_KEY", () => `sk_live_${of(24)}`),
    row("stripe-webhook", "STRIPE_WEBHOOK", () => `whsec_${of(32)}`),
    row("openai", "OPENAI_API_KEY", () => `sk-proj-${of(48, base64url)}`),
    row("anthropic", "ANTHROPIC_API_KEY", () => `sk-ant-api03-${of(93, base64url)}AA`),
    row("google", "GOOGLE_API_KEY", () => `AIza${of(35, base64url)}`),
    row("google-oauth", "GOOGLE_CLIENT", () => `GOCSPX-${of(28, base64url)}`),
    row("npm", "NPM_TOKEN", () => `npm_${of(36)}`),
    row("pypi", "PYPI_TOKEN", () => `pypi-AgEIcHlwaS5vcmc${of(60, base64url)}`),
    row("twilio", "TWILIO_API_KEY", () => `SK${of(32, hex)}`),
    row("twilio-auth", "TWILIO_AUTH_TOKEN", () => of(32, hex)),
    row("sendgrid", "SENDGRID_API_KEY", () => `SG.${of(22, base64url)}.${of(43, base64url)}`),
    row("telegram", "TELEGRAM_BOT_TOKEN", () => `${of(10, "123456789")}:AA${of(33, base64url)}`),
    row("discord", "DISCORD_TOKEN", () => `MTA${of(21)}.${of(6)}.${of(27)}`),
    row("digitalocean", "DO_TOKEN", () => `dop_v1_${of(64, hex)}`),
    row("azure-storage", "AZURE_STORAGE_ACCOUNT_KEY", () => `${of(86, `${base62}+/`)}==`),
    row("azure-client", "AZURE_CLIENT_SECRET", () => `${of(3)}8Q~${of(34)}`),
    row("jwt", "SESSION_JWT", () => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI${of(20)}.${of(43, base64url)}`),
    row("huggingface", "HF_TOKEN", () => `hf_${of(34, lower + upper)}`),
    row("databricks", "DATABRICKS_TOKEN", () => `dapi${of(32, hex)}`),
    row("shopify", "SHOPIFY_TOKEN", () => `shpat_${of(32, hex)}`),
    row("mailgun", "MAILGUN_KEY", () => `key-${of(32, hex)}`),
    row("linear", "LINEAR_API_KEY", () => `lin_api_${of(40)}`),
    row("hosted key", "MEM_API_KEY", () => `mem_${of(42)}`),
    row("display token", "MEM_TV_TOKEN", () => of(43, base64url)),
    row("hex key", "ACME_API_KEY", () => of(40, hex)),
    row(
      "uuid key",
      "HEROKU_API_KEY",
      () => `${of(8, hex)}-${of(4, hex)}-4${of(3, hex)}-a${of(3, hex)}-${of(12, hex)}`,
    ),
    row("client secret", "OAUTH_CLIENT_SECRET", () => of(24)),
    row("opaque token", "ACCESS_TOKEN", () => of(32, base64url)),
    {
      ...row(
        "password",
        "DB_PASSWORD",
        () => `${of(5, lower)}${of(2, upper)}${of(4, digits)}${of(3, lower)}!`,
      ),
      curl: (value) => `curl -sS -u admin:${value} https://api.example.com/v1/items`,
      url: userOf,
    },
    {
      ...row("word password", "PGPASSWORD", () => `${of(6, lower)}-${of(7, lower)}-${of(2, digits)}`),
      curl: (value) => `curl --user 'admin:${value}' https://api.example.com/v1/items`,
      url: userOf,
    },
    {
      ...row("basic", "PROXY_AUTHORIZATION", () => Buffer.from(`admin:${of(18)}`).toString("base64")),
      curl: (value) => `curl -H 'Authorization: Basic ${value}' https://api.example.com/v1/items`,
    },
  ];
}

function contextsOf({ kind, name, make, curl, url }: Kind, random: Random): PlantedSecret[] {
  const plain = name.toLowerCase();
  const camel = plain.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const contexts: Record<string, ((value: string) => string)[]> = {
    env: [
      (v) => `NODE_ENV=test\n${name}=${v}\nPORT=3000\n`,
      (v) => `PATH=/usr/bin\n${name}="${v}"\nHOME=/root\n`,
    ],
    json: [
      (v) => JSON.stringify({ name: "app", [camel]: v, retries: 3 }),
      (v) => JSON.stringify(JSON.stringify({ [plain]: v })),
    ],
    yaml: [
      (v) => `service:\n  ${plain}: ${v}\n  replicas: 2\n`,
      (v) => `env:\n  - name: ${name}\n    value: "${v}"\n`,
    ],
    curl: [
      curl ?? ((v) => `curl -sS -H "Authorization: Bearer ${v}" https://api.example.com/v1/items`),
      curl ?? ((v) => `curl -X POST https://api.example.com -H 'X-Api-Key: ${v}' -d '{}'`),
    ],
    url: [
      url ??
        ((v) => `GET https://api.example.com/v1/items?page=2&${plain}=${encodeURIComponent(v)}&sort=asc`),
    ],
    diff: [
      (v) => `@@ -1,2 +1,2 @@\n-${name}=\n+${name}=${v}\n PORT=1\n`,
      (v) => `@@ -4 +4 @@\n-  ${camel}: "${v}",\n+  ${camel}: process.env.${name},\n`,
    ],
    log: [
      (v) => `2026-03-04T10:11:12Z INFO connecting ${plain}=${v} attempt=2\n`,
      (v) => `[debug] config loaded { ${camel}: '${v}', timeout: 30 }\n`,
    ],
    "stack trace": [
      (v) =>
        `Error: request failed (${camel}="${v}")\n    at send (/app/src/client.ts:41:11)\n    at main (/app/src/main.ts:7:3)\n`,
      (v) =>
        `Traceback (most recent call last):\n  File "/app/main.py", line 7, in <module>\n    client = Client(${plain}="${v}")\nValueError: refused\n`,
    ],
    "shell history": [
      (v) => `  511  cd app\n  512  export ${name}=${v}\n  513  npm start\n`,
      (v) => `: 1700000000:0;${name}=${v} ./deploy.sh --${plain.replaceAll("_", "-")} ${v}\n`,
    ],
    "multi-line": [
      (v) => `{\n  "items": [\n    {\n      "${camel}":\n        "${v}"\n    }\n  ]\n}\n`,
      (v) => `const settings = {\n  // for the staging account\n  ${camel}:\n    "${v}",\n};\n`,
    ],
  };
  return Object.entries(contexts).flatMap(([context, forms]) =>
    forms.map((form) => {
      const value = make();
      return {
        kind,
        context,
        text: `${sampleProse(random, 3)}\n${form(value)}${sampleProse(random, 2)}\n`,
        secrets: [value, encodeURIComponent(value)],
      };
    }),
  );
}
