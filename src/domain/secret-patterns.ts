// The secrets that show by their own form: the prefixes that vendors give their keys, and places where only a secret stands.

/** One form of a secret: looked for where one of its anchors stands. */
export interface SecretPattern {
  kind: string;
  /** Lower-case words that begin it, found in any case; the pattern decides the case. */
  anchors: readonly string[];
  /** Sticky. What its first group matches is kept, the rest is the secret. */
  pattern: RegExp;
  /** Characters by which it begins before its anchor. */
  back?: number;
  /** Its form is weak: what it matches must also look random. */
  random?: true;
  /** It may begin in the middle of a word. */
  inside?: true;
  /** Commands of which one must stand before it in the same command line. */
  after?: readonly string[];
}

const hex = "[0-9a-fA-F]";
const key = "[\\w-]";

/** Every form we know. Lengths are lower bounds where the vendor has changed them before. */
export const secretPatterns: readonly SecretPattern[] = [
  prefixed("anthropic-key", "sk-ant-", `${key}{16,}`),
  prefixed("openai-key", "sk-", `(?:(?:proj|svcacct|admin|None)-)${key}{20,}`),
  prefixed("openrouter-key", "sk-or-", `${key}{20,}`),
  { ...prefixed("openai-key", "sk-", `(?!ant-|or-)${key}{18,}`), random: true },
  prefixed("aws-key", ["AKIA", "ASIA", "ABIA", "ACCA"], "[A-Z0-9]{16}(?![A-Za-z0-9])"),
  prefixed("aws-key", "ABSK", "[A-Za-z0-9+/]{60,}={0,2}"),
  prefixed("alibaba-key", "LTAI", "[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"),
  prefixed("tencent-key", "AKID", "[A-Za-z0-9]{32,}"),
  prefixed("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "[A-Za-z0-9][\\w.-]{19,}"),
  prefixed("github-token", "github_pat_", "\\w{22,}"),
  prefixed(
    "gitlab-token",
    [
      "glpat-",
      "gldt-",
      "glrt-",
      "glcbt-",
      "glptt-",
      "glft-",
      "glimt-",
      "glagent-",
      "gloas-",
      "glsoat-",
      "glffct-",
      "GR1348941",
    ],
    `${key}{16,}(?:\\.[\\w-]{2,}){0,3}`,
  ),
  prefixed(
    "slack-token",
    ["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"],
    "[\\w%-]{10,}",
  ),
  prefixed("slack-token", "xoxe.xox", "[bp]-[\\w-]{10,}"),
  prefixed("slack-token", "xapp-", "\\d-[\\w-]{10,}"),
  prefixed("slack-token", "xwfp-", "[\\w-]{10,}"),
  {
    kind: "slack-webhook",
    anchors: ["hooks.slack.com"],
    pattern: /(hooks\.slack\.com(?:\/|%2F)(?:services|workflows|triggers)(?:\/|%2F))[\w/+%-]{20,}/y,
  },
  {
    kind: "discord-webhook",
    anchors: ["/api/webhooks/"],
    pattern: /(\/api\/webhooks\/\d{10,}\/)[\w-]{30,}/y,
    inside: true,
  },
  {
    kind: "discord-token",
    anchors: base64OfThreeDigits(),
    pattern: /(?:M[TDjz]|N[DTjz]|O[DT])[\w-]{20,28}\.[\w-]{5,7}\.[\w-]{25,40}(?![\w-])/y,
  },
  prefixed("discord-token", "mfa.", `${key}{60,}`),
  {
    kind: "telegram-token",
    anchors: [":aa"],
    pattern: /(?<=(?<!\d)\d{6,12}):AA[\w-]{30,40}(?![\w-])/y,
    inside: true,
  },
  prefixed("stripe-key", ["sk_", "rk_"], "(?:live|test|prod)_[A-Za-z0-9]{10,}"),
  prefixed("stripe-key", "whsec_", "[A-Za-z0-9+/]{20,}={0,2}"),
  { ...prefixed("api-key", "sk_", "[A-Za-z0-9]{32,}"), random: true },
  prefixed("google-key", "AIza", "[\\w-]{30,}"),
  prefixed("google-key", "AQ.Ab", "[\\w-]{30,}"),
  prefixed("google-token", "ya29.", "[\\w-]{20,}"),
  prefixed("google-token", "1//0", "[\\w-]{30,}"),
  prefixed("google-secret", "GOCSPX-", `${key}{20,}`),
  prefixed("npm-token", "npm_", "[A-Za-z0-9]{30,}"),
  prefixed("pypi-token", "pypi-", `${key}{40,}`),
  prefixed("rubygems-key", "rubygems_", `${hex}{32,}`),
  prefixed("crates-token", "cio", "[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
  prefixed("nuget-key", "oy2", "[a-z0-9]{43}(?![A-Za-z0-9])"),
  prefixed("clojars-token", "CLOJARS_", "[a-z0-9]{40,}"),
  prefixed("twilio-key", "SK", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  prefixed("sendgrid-key", "SG.", "[\\w-]{16,32}\\.[\\w-]{32,64}"),
  prefixed("mailgun-key", "key-", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  {
    kind: "mailchimp-key",
    anchors: ["-us"],
    pattern: /[0-9a-f]{32}-us\d{1,2}(?!\w)/y,
    back: 32,
  },
  prefixed("brevo-key", "xkeysib-", `${key}{40,}`),
  { ...prefixed("resend-key", "re_", "[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,32}"), random: true },
  prefixed("digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], `${hex}{40,}`),
  {
    kind: "azure-secret",
    anchors: ["q~"],
    pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{30,36}(?![\w~.-])/y,
    back: 4,
  },
  { kind: "jwt", anchors: ["eyj"], pattern: /eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{0,}){1,3}/y },
  prefixed("huggingface-token", "hf_", "[A-Za-z0-9]{28,}"),
  prefixed("huggingface-token", "api_org_", "[A-Za-z0-9]{28,}"),
  prefixed("databricks-token", "dapi", `${hex}{32}(?:-\\d)?(?![A-Za-z0-9])`),
  prefixed("shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], "[A-Za-z0-9]{30,}"),
  prefixed("linear-key", ["lin_api_", "lin_oauth_"], "[A-Za-z0-9]{30,}"),
  prefixed("atlassian-token", ["ATATT3", "ATCTT3", "ATSTT3"], "[\\w=-]{20,}"),
  prefixed("atlassian-token", "ATBB", "[A-Za-z0-9]{28,}"),
  { kind: "airtable-token", anchors: ["pat"], pattern: /pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}/y },
  { kind: "hubspot-token", anchors: ["pat-"], pattern: /pat-(?:na|eu)\d-[0-9a-f-]{36}/y },
  prefixed("notion-token", "ntn_", "[A-Za-z0-9]{40,}"),
  prefixed("notion-token", "secret_", "[A-Za-z0-9]{43}(?![A-Za-z0-9])"),
  prefixed("figma-token", ["figd_", "figo_", "figu_"], `${key}{30,}`),
  prefixed("postman-key", "PMAK-", `${hex}{20,}-${hex}{30,}`),
  prefixed("newrelic-key", ["NRAK-", "NRAL-", "NRII-", "NRJS-"], `${key}{16,}`),
  prefixed("grafana-token", "glsa_", `[A-Za-z0-9]{30,}_${hex}{8}`),
  prefixed("grafana-token", "glc_", "[A-Za-z0-9+/]{32,}={0,2}"),
  prefixed("vault-token", ["hvs.", "hvb.", "hvr."], `${key}{24,}`),
  {
    kind: "terraform-token",
    anchors: [".atlasv1."],
    pattern: /(?<=\w{10,20})\.atlasv1\.[\w-]{50,}/y,
    inside: true,
  },
  { kind: "doppler-token", anchors: ["dp."], pattern: /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}/y },
  { kind: "dynatrace-token", anchors: ["dt0"], pattern: /dt0[a-z]\d\d\.[A-Z0-9]{20,}\.[A-Z0-9]{60,}/y },
  prefixed("pulumi-token", "pul-", `${hex}{40}`),
  prefixed("sentry-token", ["sntrys_", "sntryu_"], "[\\w+/=-]{30,}"),
  prefixed("sonar-token", ["sqp_", "sqa_", "squ_"], `${hex}{40}`),
  prefixed("sourcegraph-token", "sgp_", "\\w{40,}"),
  prefixed("square-token", ["sq0atp-", "sq0csp-"], `${key}{22,}`),
  prefixed("square-token", "EAAA", `${key}{60}(?!${key})`),
  prefixed("facebook-token", "EAA", "[A-Z][A-Za-z0-9]{90,}(?![+/=\\w])"),
  prefixed("supabase-key", ["sbp_", "sb_secret_"], `${key}{20,}`),
  prefixed("planetscale-key", ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], "[\\w.=-]{30,}"),
  prefixed("tailscale-key", "tskey-", `${key}{20,}`),
  prefixed("docker-token", ["dckr_pat_", "dckr_oat_"], `${key}{20,}`),
  prefixed("circleci-token", "CCIPAT_", `${key}{30,}`),
  prefixed("buildkite-token", "bkua_", "[a-z0-9]{40}"),
  prefixed("heroku-key", "HRKU-", `${key}{30,}`),
  prefixed("flyio-token", ["fm1r_", "fm2_", "fo1_"], "[\\w+/=,-]{40,}"),
  prefixed("netlify-token", "nfp_", "[A-Za-z0-9]{36,}"),
  prefixed("launchdarkly-key", ["sdk-", "api-"], `${hex}{8}-${hex}{4}-4${hex}{3}-${hex}{4}-${hex}{12}`),
  prefixed("plaid-token", "access-", `(?:sandbox|development|production)-${hex}{8}-[0-9a-f-]{27}`),
  prefixed("contentful-token", "CFPAT-", `${key}{40,}`),
  prefixed("typeform-token", "tfp_", "[\\w.-]{40,}"),
  prefixed("easypost-key", ["EZAK", "EZTK"], "[A-Za-z0-9]{54}"),
  prefixed("shippo-key", "shippo_", `(?:live|test)_${hex}{40}`),
  prefixed("duffel-token", "duffel_", "(?:live|test)_[\\w=-]{40,}"),
  prefixed("flutterwave-key", "FLWSECK", "(?:_TEST)?-[\\w-]{12,}"),
  prefixed("prefect-key", "pnu_", "[A-Za-z0-9]{36}"),
  prefixed("readme-key", "rdme_", "[a-z0-9]{60,}"),
  prefixed("replicate-token", "r8_", "[A-Za-z0-9]{36,}"),
  prefixed("groq-key", "gsk_", "[A-Za-z0-9]{40,}"),
  prefixed("xai-key", "xai-", "[A-Za-z0-9]{60,}"),
  prefixed("perplexity-key", "pplx-", "[A-Za-z0-9]{40,}"),
  prefixed("tavily-key", "tvly-", `${key}{28,}`),
  prefixed("pinecone-key", "pcsk_", "\\w{40,}"),
  prefixed("langsmith-key", "lsv2_", `(?:pt|sk)_${hex}{32}_${hex}{10}`),
  prefixed("openshift-token", "sha256~", `${key}{43}(?!${key})`),
  prefixed("artifactory-key", "AKCp", "[A-Za-z0-9]{60,}"),
  prefixed("adobe-secret", "p8e-", "[A-Za-z0-9]{32}"),
  prefixed("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"),
  prefixed("onepassword-token", "ops_eyJ", "[\\w+/=-]{40,}"),
  prefixed("mem-key", "mem_", "[A-Za-z0-9]{42}(?![A-Za-z0-9])"),
  // One that was cut short, or has lost its end to a wrapped line, still tells too much.
  { ...prefixed("mem-key", "mem_", "[A-Za-z0-9]{36,}"), random: true },
  {
    kind: "password",
    anchors: [" -u", " --user", " --proxy-user"],
    pattern:
      /( (?:-u|--(?:proxy-)?user)[ =]{0,2}\\{0,3}["']?[^\s:"'\\$]{1,100}:)[^\s"'\\$<[*][^\s"'\\]{2,200}/y,
    inside: true,
    after: ["curl", "wget"],
  },
  {
    kind: "password",
    anchors: ["sshpass -p"],
    pattern: /(sshpass -p ?["']?)[^\s"'$[][^\s"']{2,200}/y,
  },
  {
    kind: "password",
    anchors: [" -p"],
    pattern: /( -p["']?)(?=[^\s"']{0,200}\d)[^\s"'$[:=/-][^\s"']{4,200}/y,
    inside: true,
    after: ["mysql", "mariadb"],
  },
  {
    kind: "password",
    anchors: [" -p", " -a"],
    pattern: /( -[pa] {1,2}["']?)[^\s"'$[-][^\s"']{4,200}/y,
    inside: true,
    after: ["docker login", "podman login", "helm registry login", "redis-cli"],
  },
];

// Discord tokens begin with a user id, which is digits, in base64.
function base64OfThreeDigits(): string[] {
  const pairs = ["md", "mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"];
  return pairs.flatMap((pair) => [..."aeimquycgk"].map((third) => pair + third));
}

function prefixed(kind: string, prefixes: string | readonly string[], rest: string): SecretPattern {
  const list = typeof prefixes === "string" ? [prefixes] : prefixes;
  const literals = list.map((prefix) => prefix.replace(/[.~/]/g, "\\$&"));
  return {
    kind,
    anchors: list.map((prefix) => prefix.toLowerCase()),
    pattern: new RegExp(`(?:${literals.join("|")})${rest}`, "y"),
  };
}
