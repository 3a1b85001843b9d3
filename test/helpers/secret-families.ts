// Secret families as their vendors document them, written without a look at our patterns: what recall is measured on.
import { createHash } from "node:crypto";
import type { Random } from "./random.ts";
import { sampleText } from "./sample-text.ts";

export interface SecretFamily {
  family: string;
  /** Names under which the vendor's documents put it. */
  names: readonly string[];
  make(random: Random): string;
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const alphabets: Record<string, string> = {
  d: digits,
  l: lower,
  u: upper,
  x: `${digits}abcdef`,
  a: digits + lower,
  A: digits + upper,
  n: digits + lower + upper,
  w: `${digits}${lower}${upper}-_`,
  b: `${digits}${lower}${upper}+/`,
  t: `${upper}234567`,
  c: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
};

/** `<n36>` stands for 36 letters and digits; the letter names one of the alphabets above. */
export function drawn(random: Random, form: string): string {
  return form.replace(/<(\w)(\d+)>/g, (_, name: string, length: string) =>
    sampleText(random, Number(length), alphabets[name] ?? ""),
  );
}

const uuid = "<x8>-<x4>-4<x3>-a<x3>-<x12>";

// Family, names, and the form as the vendor writes it.
const forms: readonly (readonly [string, string, string])[] = [
  ["aws access key", "AWS_ACCESS_KEY_ID", "AKIA<t16>"],
  ["aws secret key", "AWS_SECRET_ACCESS_KEY aws_secret_access_key secretAccessKey", "<b40>"],
  ["aws session token", "AWS_SESSION_TOKEN aws_session_token sessionToken", "IQoJb3JpZ2luX2VjE<b360>=="],
  ["github classic", "GITHUB_TOKEN GH_TOKEN GITHUB_PAT", "ghp_<n36>"],
  ["github fine-grained", "GH_PAT GITHUB_TOKEN", "github_pat_<n22>_<n59>"],
  ["github app", "GITHUB_APP_TOKEN", "ghs_<n36>"],
  ["gitlab personal", "GITLAB_TOKEN GITLAB_PAT", "glpat-<w20>"],
  ["bitbucket app password", "BITBUCKET_APP_PASSWORD", "ATBB<n32>"],
  ["slack bot", "SLACK_BOT_TOKEN", "xoxb-<d12>-<d13>-<n24>"],
  ["slack app", "SLACK_APP_TOKEN", "xapp-1-A<A10>-<d13>-<x64>"],
  ["slack webhook", "SLACK_WEBHOOK_URL", "https://hooks.slack.com/services/T<A10>/B<A10>/<n24>"],
  [
    "teams webhook",
    "TEAMS_WEBHOOK",
    `https://acme.webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/<x32>/${uuid}`,
  ],
  ["discord bot", "DISCORD_TOKEN DISCORD_BOT_TOKEN", "MTA<n21>.G<n5>.<w38>"],
  ["discord webhook", "DISCORD_WEBHOOK_URL", "https://discord.com/api/webhooks/<d18>/<w68>"],
  ["telegram bot", "TELEGRAM_BOT_TOKEN", "6<d9>:AA<w33>"],
  ["stripe secret", "STRIPE_SECRET_KEY STRIPE_API_KEY", "sk_live_<n99>"],
  ["stripe webhook", "STRIPE_WEBHOOK_SECRET", "whsec_<n32>"],
  ["square", "SQUARE_ACCESS_TOKEN", "EAAA<w60>"],
  ["paypal braintree", "BRAINTREE_ACCESS_TOKEN", "access_token$production$<a16>$<x32>"],
  ["razorpay secret", "RAZORPAY_KEY_SECRET", "<n24>"],
  ["openai project", "OPENAI_API_KEY", "sk-proj-<w74>T3BlbkFJ<w74>"],
  ["anthropic", "ANTHROPIC_API_KEY", "sk-ant-api03-<w93>AA"],
  ["google api", "GOOGLE_API_KEY GEMINI_API_KEY", "AIzaSy<w33>"],
  ["google oauth secret", "GOOGLE_CLIENT_SECRET client_secret", "GOCSPX-<w28>"],
  ["google refresh token", "GOOGLE_REFRESH_TOKEN refresh_token", "1//0<w100>"],
  ["cohere", "COHERE_API_KEY CO_API_KEY", "<n40>"],
  ["mistral", "MISTRAL_API_KEY", "<n32>"],
  ["groq", "GROQ_API_KEY", "gsk_<n52>"],
  ["replicate", "REPLICATE_API_TOKEN", "r8_<n37>"],
  ["huggingface", "HF_TOKEN HUGGING_FACE_HUB_TOKEN", "hf_<n34>"],
  ["nvidia", "NVIDIA_API_KEY NGC_API_KEY", "nvapi-<w64>"],
  ["elevenlabs", "ELEVENLABS_API_KEY XI_API_KEY", "sk_<x48>"],
  ["perplexity", "PERPLEXITY_API_KEY", "pplx-<n48>"],
  ["voyage", "VOYAGE_API_KEY", "pa-<w43>"],
  ["jina", "JINA_API_KEY", "jina_<x32><w28>"],
  ["firecrawl", "FIRECRAWL_API_KEY", "fc-<x32>"],
  ["wandb", "WANDB_API_KEY", "<x40>"],
  ["npm", "NPM_TOKEN NODE_AUTH_TOKEN", "npm_<n36>"],
  ["pypi", "PYPI_TOKEN TWINE_PASSWORD", "pypi-AgEIcHlwaS5vcmcC<w150>"],
  ["rubygems", "GEM_HOST_API_KEY", "rubygems_<x48>"],
  ["cargo", "CARGO_REGISTRY_TOKEN", "cio<n32>"],
  ["docker hub", "DOCKERHUB_TOKEN DOCKER_PAT", "dckr_pat_<w27>"],
  ["twilio auth", "TWILIO_AUTH_TOKEN", "<x32>"],
  ["twilio api key", "TWILIO_API_KEY", "SK<x32>"],
  ["sendgrid", "SENDGRID_API_KEY", "SG.<w22>.<w43>"],
  ["mailgun", "MAILGUN_API_KEY", "<x32>-<x8>-<x8>"],
  ["mailchimp", "MAILCHIMP_API_KEY", "<x32>-us<d2>"],
  ["postmark", "POSTMARK_SERVER_TOKEN", uuid],
  ["resend", "RESEND_API_KEY", "re_<n8>_<n24>"],
  ["azure storage", "AZURE_STORAGE_KEY AccountKey", "<b86>=="],
  ["azure client secret", "AZURE_CLIENT_SECRET", "<n3>8Q~<n34>"],
  ["azure devops", "AZURE_DEVOPS_EXT_PAT AZURE_DEVOPS_PAT", "<a52>"],
  ["azure sas", "AZURE_STORAGE_SAS", "sv=2022-11-02&ss=b&srt=sco&sp=rl&se=2027-01-01T00:00:00Z&sig=<n43>%3D"],
  ["digitalocean", "DIGITALOCEAN_TOKEN", "dop_v1_<x64>"],
  ["heroku", "HEROKU_API_KEY", uuid],
  ["cloudflare", "CLOUDFLARE_API_TOKEN CF_API_TOKEN", "<w40>"],
  ["fastly", "FASTLY_API_TOKEN", "<w32>"],
  ["vercel", "VERCEL_TOKEN", "<n24>"],
  ["netlify", "NETLIFY_AUTH_TOKEN", "nfp_<n36>"],
  ["fly", "FLY_API_TOKEN", "FlyV1 fm2_<b200>"],
  ["render", "RENDER_API_KEY", "rnd_<n28>"],
  ["scaleway", "SCW_SECRET_KEY", uuid],
  ["linode", "LINODE_TOKEN", "<x64>"],
  ["hetzner", "HCLOUD_TOKEN", "<n64>"],
  ["databricks", "DATABRICKS_TOKEN", "dapi<x32>"],
  ["snowflake password", "SNOWFLAKE_PASSWORD", "<l6><u3><d3>!<n3>"],
  ["shopify", "SHOPIFY_ACCESS_TOKEN", "shpat_<x32>"],
  ["hubspot", "HUBSPOT_ACCESS_TOKEN", `pat-na1-${uuid}`],
  ["salesforce session", "SALESFORCE_TOKEN access_token", "00D<n12>!AQ<w94>"],
  ["airtable", "AIRTABLE_PAT AIRTABLE_API_KEY", "pat<n14>.<x64>"],
  ["notion", "NOTION_TOKEN NOTION_API_KEY", "ntn_<n46>"],
  ["linear", "LINEAR_API_KEY", "lin_api_<n40>"],
  ["asana", "ASANA_PAT ASANA_ACCESS_TOKEN", "1/<d16>:<x32>"],
  ["atlassian", "JIRA_API_TOKEN ATLASSIAN_TOKEN", "ATATT3xFfGF0<w180>=<A8>"],
  ["figma", "FIGMA_TOKEN FIGMA_PAT", "figd_<w40>"],
  ["dropbox", "DROPBOX_TOKEN", "sl.B<w130>"],
  ["datadog", "DD_API_KEY DATADOG_API_KEY", "<x32>"],
  ["new relic", "NEW_RELIC_LICENSE_KEY", "<x36>NRAL"],
  ["sentry", "SENTRY_AUTH_TOKEN", "sntrys_eyJ<n120>=_<n43>"],
  ["sentry dsn", "SENTRY_DSN", "https://<x32>:<x32>@o<d6>.ingest.sentry.io/<d7>"],
  ["grafana", "GRAFANA_TOKEN", "glsa_<n32>_<x8>"],
  ["honeycomb", "HONEYCOMB_API_KEY", "hcaik_01<a58>"],
  ["pagerduty", "PAGERDUTY_TOKEN PD_API_KEY", "u+<w18>"],
  ["okta", "OKTA_API_TOKEN", "00<w40>"],
  ["auth0 client secret", "AUTH0_CLIENT_SECRET", "<w64>"],
  ["vault", "VAULT_TOKEN", "hvs.<w95>"],
  ["vault legacy", "VAULT_TOKEN", "s.<n24>"],
  ["terraform cloud", "TFE_TOKEN TF_TOKEN", "<n14>.atlasv1.<n67>"],
  ["pulumi", "PULUMI_ACCESS_TOKEN", "pul-<x40>"],
  ["doppler", "DOPPLER_TOKEN", "dp.st.prd.<n43>"],
  ["1password", "OP_SERVICE_ACCOUNT_TOKEN", "ops_eyJ<n300>"],
  ["1password secret key", "OP_SECRET_KEY", "A3-<A6>-<A6>-<A5>-<A5>-<A5>"],
  ["tailscale", "TS_AUTHKEY TAILSCALE_AUTH_KEY", "tskey-auth-<n17>-<n32>"],
  ["supabase service", "SUPABASE_SERVICE_ROLE_KEY", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ<w80>.<w43>"],
  ["planetscale", "PLANETSCALE_PASSWORD", "pscale_pw_<w43>"],
  ["neon", "NEON_API_KEY", "napi_<a64>"],
  ["algolia admin", "ALGOLIA_ADMIN_KEY ALGOLIA_API_KEY", "<x32>"],
  ["mapbox", "MAPBOX_ACCESS_TOKEN", "sk.eyJ1Ijoi<n60>.<w22>"],
  ["contentful", "CONTENTFUL_MANAGEMENT_TOKEN", "CFPAT-<w43>"],
  ["postman", "POSTMAN_API_KEY", "PMAK-<x24>-<x34>"],
  ["snyk", "SNYK_TOKEN", uuid],
  ["sonarqube", "SONAR_TOKEN", "squ_<x40>"],
  ["artifactory reference", "ARTIFACTORY_TOKEN JFROG_ACCESS_TOKEN", "cmVmdGtuOjAxOjE<n49>"],
  ["circleci", "CIRCLE_TOKEN", "CCIPAT_<n22>_<x40>"],
  ["buildkite", "BUILDKITE_API_TOKEN", "bkua_<x40>"],
  ["jenkins api", "JENKINS_API_TOKEN", "11<x32>"],
  ["twitter bearer", "TWITTER_BEARER_TOKEN", "AAAAAAAAAAAAAAAAAAAAA<n25>%2B<n30>%3D<n40>"],
  ["facebook", "FACEBOOK_ACCESS_TOKEN FB_TOKEN", "EAAG<n180>"],
  ["twitch", "TWITCH_CLIENT_SECRET", "<a30>"],
  ["spotify", "SPOTIFY_CLIENT_SECRET", "<x32>"],
  ["zapier hook", "ZAPIER_HOOK", "https://hooks.zapier.com/hooks/catch/<d7>/<a7>/"],
  ["yandex", "YC_TOKEN", "y0_<w55>"],
  ["jwt", "SESSION_TOKEN ACCESS_TOKEN", "eyJhbGciOiJSUzI1NiIsImtpZCI6<w20>.eyJzdWIiOiI<w90>.<w342>"],
  ["age", "SOPS_AGE_KEY", "AGE-SECRET-KEY-1<A58>"],
  ["wireguard", "PrivateKey", "<b42>A="],
  ["ethereum private key", "PRIVATE_KEY WALLET_PRIVATE_KEY", "0x<x64>"],
  ["bitcoin wif", "BTC_PRIVATE_KEY", "L<c51>"],
  ["extended private key", "MASTER_XPRV WALLET_KEY", "xprv9s21ZrQH143K<c95>"],
  ["docker swarm", "SWARM_TOKEN", "SWMTKN-1-<a50>-<a25>"],
  ["totp", "TOTP_URI", "otpauth://totp/Acme:dev@example.com?secret=<t32>&issuer=Acme"],
  ["totp seed", "TOTP_SECRET MFA_SECRET", "<t32>"],
  ["django key", "SECRET_KEY DJANGO_SECRET_KEY", "<a20>@<a9>+<a9>!<a9>"],
  ["rails key", "SECRET_KEY_BASE RAILS_MASTER_KEY", "<x128>"],
  ["laravel key", "APP_KEY", "base64:<b43>="],
  ["encryption key", "ENCRYPTION_KEY DATA_ENCRYPTION_KEY", "<x64>"],
  ["hex api key", "ACME_API_KEY INTERNAL_APIKEY", "<x40>"],
  ["opaque token", "ACCESS_TOKEN REFRESH_TOKEN AUTH_TOKEN", "<w43>"],
  ["client secret", "CLIENT_SECRET OAUTH_CLIENT_SECRET", "<n32>"],
  ["personal access token", "ADO_PAT CI_PAT ACME_PAT", "<a40>"],
  ["strong password", "DB_PASSWORD POSTGRES_PASSWORD SMTP_PASS ADMIN_PASSWORD", "<l5><u2><d4><l3>!"],
  ["signs in password", "MYSQL_ROOT_PASSWORD REDIS_PASSWORD", "<l4>@<n4>#<d3>%<u3>"],
  ["word password", "PGPASSWORD MYSQL_PWD", "<l6>-<l7>-<d2>"],
  ["database url", "DATABASE_URL", "postgres://app:<n18>@db.example.com:5432/app"],
  ["mongo url", "MONGO_URL MONGODB_URI", "mongodb+srv://app:<n16>@cluster0.ab1cd.mongodb.net/app"],
  ["redis url", "REDIS_URL", "redis://:<n24>@cache.example.com:6379/0"],
  ["amqp url", "AMQP_URL", "amqps://app:<w20>@mq.example.com/vhost"],
  ["cloudinary url", "CLOUDINARY_URL", "cloudinary://<d15>:<w27>@acme"],
  [
    "azure connection string",
    "AZURE_STORAGE_CONNECTION_STRING",
    "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=<b86>==;EndpointSuffix=core.windows.net",
  ],
  [
    "service bus string",
    "SERVICEBUS_CONNECTION",
    "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=<b43>=",
  ],
  [
    "sql server string",
    "SQLSERVER_CONNECTION",
    "Server=db.example.com;Database=app;User Id=app;Password=<n14>!;",
  ],
  ["jdbc url", "JDBC_URL", "jdbc:postgresql://db.example.com/app?user=app&password=<n16>"],
];

export const secretFamilies: readonly SecretFamily[] = [
  ...forms.map(([family, names, form]) => ({
    family,
    names: names.split(" "),
    make: (random: Random) => drawn(random, form),
  })),
  {
    family: "sha password hash",
    names: ["ADMIN_PASSWORD_HASH"],
    make: (random) => `{SSHA}${createHash("sha1").update(drawn(random, "<n9>")).digest("base64")}`,
  },
];

/**
 * What of a drawn secret must not survive, where parts of it are public: the key in a connection string, the password
 * of a URL.
 */
export function secretPart(value: string): string {
  const part =
    /:\/\/[^/?:@]*:([^@/]+)@/.exec(value) ??
    /(?:AccountKey|SharedAccessKey|Password|password|sig|secret)=([^;&]+)/.exec(value) ??
    /(?:hooks\.slack\.com\/services|webhooks|webhookb2|hooks\/catch)\/(.+)$/.exec(value);
  return part?.[1] ?? value;
}
