import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/privacy/secrets.ts";
import { cleanOutputs } from "../helpers/clean-outputs.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { sampleText } from "../helpers/sample-text.ts";
import { volume } from "../helpers/volume.ts";

const random = createRandom(7);
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const drawn = (length: number) => sampleText(random, length, letters);
const hex = (length: number) => sampleText(random, length, "0123456789abcdef");
const password = `${drawn(9)}7!q`;
const pemBody = Array.from({ length: 12 }, () => drawn(64)).join("\n");
const begin = "-----BEGIN RSA PRIVATE KEY-----";
const end = "-----END RSA PRIVATE KEY-----";

describe("what a secret leaves behind", () => {
  const mem = `mem_${drawn(42)}`;
  const github = `ghp_${drawn(36)}`;
  test.each([
    ["this product's own key", `use ${mem}, please`, "use [redacted:mem-key], please"],
    ["its own secret under a name", `MEM_TV_TOKEN=${drawn(43)}`, "MEM_TV_TOKEN=[redacted:token]"],
    ["a vendor's key under a name", `GITHUB_TOKEN=${github}`, "GITHUB_TOKEN=[redacted:github-token]"],
    ["a vendor's key after \\n written out", `a\\n${github}\\nb`, "a\\n[redacted:github-token]\\nb"],
    [
      "a vendor's key in a coloured line",
      `\x1b[32m${github}\x1b[0m`,
      "\x1b[32m[redacted:github-token]\x1b[0m",
    ],
    ["a vendor's key in a removed line", `-${github}\n`, "-[redacted:github-token]\n"],
    ["a key in a path", `/tmp/${github}/x`, "/tmp/[redacted:github-token]/x"],
    [
      "a URL's password",
      `https://bob:${password}@host.example/x`,
      "https://bob:[redacted:password]@host.example/x",
    ],
    ["a URL's password with an @", "redis://:p@ss1@host:6379", "redis://:[redacted:password]@host:6379"],
    [
      "a URL's only credential",
      `https://${hex(32)}@errors.example.com/4`,
      "https://[redacted:url-credential]@errors.example.com/4",
    ],
    [
      "a token that is a URL's user, before a password",
      `https://${github36()}:x-oauth-basic@github.com/a/b`,
      "https://[redacted:github-token]:[redacted:password]@github.com/a/b",
    ],
    ["a header", `Authorization: Bearer ${drawn(32)}`, "Authorization: Bearer [redacted:authorization]"],
    ["a header of curl", `curl -H 'X-Api-Key: ${hex(32)}' x`, "curl -H 'X-Api-Key: [redacted:api-key]' x"],
    ["a user of curl", `curl -u bob:${password} x`, "curl -u bob:[redacted:password] x"],
    [
      "a very long header",
      `Authorization: Bearer ${drawn(3000)} x`,
      "Authorization: Bearer [redacted:authorization] x",
    ],
    ["a very long variable", `API_KEY=${drawn(3000)}\n`, "API_KEY=[redacted:api-key]\n"],
    ["a very long string", `"api_key": "${drawn(20000)}"`, `"api_key": "[redacted:api-key]"`],
    ["a bare bearer", `got Bearer ${drawn(32)} back`, "got Bearer [redacted:authorization] back"],
    [
      "a cookie",
      `Cookie: theme=dark; sid=${drawn(24)}; n=1`,
      "Cookie: theme=dark; sid=[redacted:cookie]; n=1",
    ],
    ["a variable", `DB_PASSWORD=${password}\n`, "DB_PASSWORD=[redacted:password]\n"],
    ["a plain word as a variable", "DB_PASSWORD=swordfish\n", "DB_PASSWORD=[redacted:password]\n"],
    ["JSON", `{"api_key": "${hex(24)}", "n": 1}`, `{"api_key": "[redacted:api-key]", "n": 1}`],
    ["JSON in JSON", `{\\"apiKey\\":\\"${hex(24)}\\"}`, `{\\"apiKey\\":\\"[redacted:api-key]\\"}`],
    ["YAML", `  db_password: ${password}\n  port: 1`, "  db_password: [redacted:password]\n  port: 1"],
    ["a YAML block", `secret: |\n  ${drawn(24)}9\nnext: 1`, "secret: |\n  [redacted:secret]\nnext: 1"],
    ["a flag", `deploy --token ${drawn(24)}42 --yes`, "deploy --token [redacted:token] --yes"],
    ["XML", `<password>${password}</password>`, "<password>[redacted:password]</password>"],
    [
      "a typed constant",
      `const apiKey: string = "${hex(24)}";`,
      `const apiKey: string = "[redacted:api-key]";`,
    ],
    [
      "a name and value",
      `- name: DB_PASSWORD\n  value: "${password}"`,
      `- name: DB_PASSWORD\n  value: "[redacted:password]"`,
    ],
    ["a fallback", `getenv("API_KEY", "${hex(24)}")`, `getenv("API_KEY", "[redacted:api-key]")`],
    [
      "a query",
      `/items?page=2&access_token=${drawn(24)}&n=1`,
      "/items?page=2&access_token=[redacted:token]&n=1",
    ],
    ["a signed URL", `/blob?sv=1&sig=${drawn(40)}%3D`, "/blob?sv=1&sig=[redacted:signature]"],
    ["a private key", `a\n${begin}\n${pemBody}\n${end}\nb`, "a\n[redacted:private-key]\nb"],
    [
      "a private key with \\n written out",
      `"${begin}\\n${pemBody.replaceAll("\n", "\\n")}\\n${end}\\n"`,
      `"[redacted:private-key]\\n"`,
    ],
    [
      "a private key that ends early",
      `${begin}\n${pemBody}\n\nA new paragraph.`,
      "[redacted:private-key]\nA new paragraph.",
    ],
    ["a private key that starts late", `${pemBody}\n${end}\nb`, "[redacted:private-key]\nb"],
    [
      "a private key in a diff",
      `+${begin}\n+${pemBody.replaceAll("\n", "\n+")}\n+${end}\n b`,
      "+[redacted:private-key]\n b",
    ],
    [
      "a private key in a numbered listing",
      `1→${begin}\n${pemBody.replace(/^/gm, "    2→")}\n    9→${end}\nb`,
      "1→[redacted:private-key]\nb",
    ],
  ])("%s", (_, text, left) => {
    expect(redactSecrets(text)).toBe(left);
    expect(redactSecrets(left)).toBe(left);
  });

  test.each([
    ["passphrase", "correct horse battery staple", "[redacted:password]"],
    ["password", "$ecret1!", "[redacted:password]"],
    ["password", "$SECRET", "$SECRET"],
    ["password", "swordfish", "[redacted:password]"],
    ["apiKey", hex(20), "[redacted:api-key]"],
    ["--token", drawn(20), "[redacted:token]"],
    ["GITHUB_TOKEN", github, "[redacted:github-token]"],
    ["Authorization", `Basic ${drawn(20)}`, "Basic [redacted:authorization]"],
    ["set-cookie", `sid=${drawn(24)}; Path=/`, "sid=[redacted:cookie]; Path=/"],
    ["password", "Your password", "Your password"],
    ["password", "", ""],
    ["token", "identifier", "identifier"],
    ["tokens", "4096", "4096"],
    ["publicKey", hex(20), undefined],
    ["description", hex(20), undefined],
  ])("the leaf of the key %s", (key, text, left) => {
    expect(redactSecrets(text, key)).toBe(left ?? text);
  });
});

describe("what is no secret stays", () => {
  test.each([
    ["a type", "password: string; token?: Token | undefined"],
    ["a call", "const token = getToken(); const secret = await vault.read(path);"],
    ["the environment", "apiKey: process.env.API_KEY, password = os.environ['DB_PASSWORD']"],
    ["a template", `api_key: $${"{VAR}"}\ntoken: {{ token }}\npassword: <password>\nPASSWORD=$1`],
    ["a git hash", `commit ${hex(40)}\nindex ${hex(7)}..${hex(7)}`],
    ["a UUID", `session ${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`],
    ["an integrity hash", `"integrity": "sha512-${drawn(86)}=="`],
    ["a picture", `data:image/png;base64,iVBORw0KGgo${drawn(400)}`],
    ["a mask", "password: ********, token=xxxxxxxx, api_key: ..."],
    ["a certificate", `-----BEGIN CERTIFICATE-----\n${pemBody}\n-----END CERTIFICATE-----`],
    ["a mention of a private key", `if (pem.startsWith("${begin}")) return parse(pem);`],
    ["the working directory", "PWD=/home/dev/project\nOLDPWD=/home/dev"],
    ["counts", "max_tokens: 4096, tokens=17, tokenCount: 12"],
    ["a page token's name", "nextPageToken: abc12345def"],
    ["a style", ".sk-folding-cube-container-wrapper { width: 40px }"],
    ["a port mapping", "docker run -p 8080:80 -u 1000:1000 app"],
    ["a remote", "git@github.com:example/app.git https://example.com:8080/@scope/name"],
  ])("%s", (_, text) => {
    expect(redactSecrets(text)).toBe(text);
  });
});

test.each([20, testSeed()])("of 2,000 clean outputs at most 5 in 1,000 are altered (seed %i)", (seed) => {
  const altered = cleanOutputs(2000, seed).filter((output) => redactSecrets(output) !== output);
  console.info(`secrets: ${altered.length} of 2000 clean outputs altered`);
  expect(altered.length).toBeLessThanOrEqual(10);
});

test("a second pass changes nothing, whatever stands side by side", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "password",
      "token",
      "api_key",
      "Authorization",
      "Bearer ",
      "Cookie",
      "://",
      "@",
      "sig=",
      "?",
      "&",
    ),
    fc.constantFrom(
      "=",
      ":",
      " ",
      '"',
      "'",
      "\\",
      "\n",
      "-",
      "--",
      "(",
      ">",
      "<",
      "|",
      ",",
      ";",
      "[redacted:token]",
      "[",
      "]",
    ),
    fc.constantFrom(
      github36(),
      `AKIA${"Q7".repeat(8)}`,
      "hunter2",
      "a1B2c3D4e5F6g7H8i9",
      "swordfish",
      "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln",
      begin,
      end,
      "MIIEowIBAAKCAQEA",
    ),
  );
  void fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const once = redactSecrets(pieces.join(""));
      expect(redactSecrets(once)).toBe(once);
    }),
    { numRuns: volume(5000) },
  );
});

test.each([
  "eyJ",
  "sk-",
  "://a:",
  'password="',
  "api_key: ",
  "authorization: ",
  "cookie: a=b; ",
  `${begin}\n`,
  `${end}\n`,
  "\\",
  "<password>",
])("1 MB of %j is scanned to the end", (part) => {
  const text = `${part.repeat(Math.ceil(Math.min(1_000_000, volume(1_000_000, 300_000)) / part.length))}\n\n"`;
  expect(redactSecrets(`${text} ${github36()}`)).not.toContain(github36());
});

function github36(): string {
  return `ghp_${"a1B2".repeat(9)}`;
}
