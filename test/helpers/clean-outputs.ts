// Tool outputs without a secret, though they speak of passwords, tokens and keys as code and documents do.
import { createRandom, type Random } from "./random.ts";
import { sampleProse, sampleText } from "./sample-text.ts";

/** So many outputs drawn from `seed`. */
export function cleanOutputs(count: number, seed: number): string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const lines = random.pick(outputs);
    return Array.from({ length: random.between(5, 25) }, () => fill(random.pick(lines), random)).join("\n");
  });
}

const hex = "0123456789abcdef";
const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// {hex40} and the like are drawn for every line; {dollar} stands for "$", so that nothing here looks like a template.
function fill(line: string, random: Random): string {
  return line
    .replaceAll("{dollar}", "$")
    .replace(/\{(hex|b64|int|word|prose|uuid)(\d*)\}/g, (_, what: string, size: string) => {
      const length = Number(size || 4);
      switch (what) {
        case "hex":
          return sampleText(random, length, hex);
        case "b64":
          return sampleText(random, length, base64);
        case "int":
          return String(random.between(1, 10 ** length));
        case "uuid":
          return [8, 4, 4, 4, 12].map((part) => sampleText(random, part, hex)).join("-");
        case "prose":
          return sampleProse(random, length);
        default:
          return sampleProse(random, 1);
      }
    });
}

const outputs: readonly (readonly string[])[] = [
  [
    "export interface Credentials { user: string; password: string; token?: string | undefined }",
    "const token = getToken();",
    "const apiKey = process.env.API_KEY ?? settings.apiKey;",
    "  password: z.string().min(8),",
    "  token = await refresh(session.refreshToken);",
    "if (token === undefined) throw new MemError('unauthorized');",
    "headers: { Authorization: `Bearer {dollar}{token}` },",
    'headers.set("Authorization", "Bearer " + accessToken);',
    "const { accessToken, refreshToken, expiresIn } = await login(user, password);",
    "function isPassword(value: unknown): value is Password {",
    "  secretKey: keyFromEnvironment('SECRET_KEY'),",
    "for (const token of tokenize(source)) if (token.kind === 'identifier') names.add(token.text);",
    "const primaryKey = row.id; const cacheKey = `{dollar}{project}:{dollar}{row.revision}`;",
    "  readonly questionToken: QuestionToken | undefined;",
    "return crypto.timingSafeEqual(Buffer.from(secret), Buffer.from(expectedSecret));",
    'type: "password", label: "Password", name: "newPassword", autocomplete="current-password"',
    "tokens: 1024, max_tokens: 4096, tokenCount: counts.get(key) ?? 0,",
    "document.cookie = `theme={dollar}{theme}; path=/`;",
  ],
  [
    "def login(username: str, password: str, token: Optional[str] = None) -> Session:",
    '    api_key = os.environ["API_KEY"]',
    "    password = getpass.getpass()",
    "    self.token = token",
    '    secret = config.get("secret", None)',
    '    token = request.headers.get("Authorization", "").removeprefix("Bearer ")',
    '    parser.add_argument("--token", help="access token", default=os.getenv("TOKEN"))',
    "    if not check_password(password, user.password_hash): raise PermissionError",
    '    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")',
    "    return hashlib.sha256(secret.encode()).hexdigest()",
    "password = db.Column(db.String(128), nullable=False)  # {prose6}",
    "key=lambda row: row.created_at, reverse=True",
  ],
  [
    '    "node_modules/{word}": {',
    '      "version": "{int1}.{int2}.{int1}",',
    '      "resolved": "https://registry.example.com/{word}/-/{word}-{int1}.{int2}.{int1}.tgz",',
    '      "integrity": "sha512-{b6486}==",',
    '      "dependencies": { "js-tokens": "^{int1}.0.0", "path-key": "^4.0.0", "token-types": "^6.0.0" },',
    '    "checksum": "{hex64}",',
    '"{word}@^{int1}.{int1}.0": { integrity sha1-{b6427}= }',
  ],
  [
    "commit {hex40}",
    "Author: dev <dev@users.noreply.example.com>",
    "    Rotate the signing key; passwords are hashed with argon2id ({hex7})",
    "index {hex7}..{hex7} 100644",
    "@@ -{int3},7 +{int3},9 @@ export function createToken(secret: Secret): Token {",
    "-  const token = createToken(secret);",
    "+  const token = await createToken(secret, { expiresIn });",
    "+    password: process.env.DB_PASSWORD,",
    "{hex8} {hex40} refs/heads/token-refresh",
    "Merge branch 'password-reset' into main",
  ],
  [
    "    env:",
    "      GITHUB_TOKEN: {dollar}{{ secrets.GITHUB_TOKEN }}",
    "      NPM_TOKEN: {dollar}{{ secrets.NPM_TOKEN }}",
    "        - name: DB_PASSWORD",
    "          valueFrom: { secretKeyRef: { name: db-credentials, key: password } }",
    "      secretName: app-tls",
    "  api_key: {dollar}{API_KEY}",
    "  password: !vault database/password",
    "      POSTGRES_PASSWORD_FILE: /run/secrets/db_password",
    "  token: <your token here>",
    "  image: registry.example.com/app@sha256:{hex64}",
    "  serviceAccountToken: { path: token, expirationSeconds: 3600 }",
  ],
  [
    "API_KEY=",
    "DB_PASSWORD=changeme",
    "SECRET_KEY={dollar}{SECRET_KEY}",
    "AUTH_TOKEN=<token>",
    "PWD=/home/dev/project",
    "OLDPWD=/home/dev",
    "SSH_AUTH_SOCK=/tmp/ssh-agent/agent.{int4}",
    "STRIPE_API_KEY=your-api-key",
    "export TOKEN=$(cat token.txt)",
    'curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/items?page_token=next&key=name',
    "docker run -p 8080:80 -u 1000:1000 -e API_KEY app:latest",
    "psql postgres://$PGUSER:$PGPASSWORD@localhost:5432/app",
    "git clone git@github.com:example/{word}.git && ssh -p 2222 dev@example.com",
  ],
  [
    "  --token <token>       access token (env: MEM_TOKEN)",
    "  --password string     password for the registry",
    "  --api-key KEY         key of the provider",
    "  -p, --password-stdin  take the password from stdin",
    "Usage: login [--username NAME] [--password PASSWORD] [--token TOKEN]",
    "error: authentication failed: the password is incorrect",
    "warning: token expired, run login again",
    "Enter password: ",
    "Password for 'https://github.com': ",
    "The API key is missing. Set API_KEY, or pass --api-key.",
    "Bearer authentication needs a token; Basic authentication a user and a password.",
    "Set-Cookie: theme=dark; Path=/; SameSite=Lax",
    "Authorization: Bearer YOUR_TOKEN",
  ],
  [
    "✓ {word} {prose4} ({int3} ms)",
    "FAIL test/{word}.test.ts > rejects a wrong password",
    "AssertionError: expected 'invalid token' to equal 'expired token'",
    "    at checkToken (/app/src/auth/token.ts:{int3}:{int2})",
    "# pass {int3}",
    "# tests {int3}  pass {int3}  fail 0",
    "-rw-r--r-- 1 dev dev {int5} Mar  4 10:11 token.ts",
    "drwxr-xr-x 2 dev dev 4096 Mar  4 10:11 secrets",
    "src/auth/password.ts:{int3}:  const key = `{dollar}{user}:{dollar}{password}`;",
    "{uuid} running {prose3}",
    "request_id={uuid} session={uuid} status=200 duration={int3}ms",
    '{"level":30,"time":17{int9},"msg":"{prose5}","tokens":{int4},"key":"{word}-{int3}"}',
    "input_tokens={int4} output_tokens={int3} cache_key={hex16}",
  ],
  [
    '<input type="password" name="password" placeholder="Your password" autocomplete="new-password">',
    '"login": { "password": "Password", "forgotPassword": "Forgot your password?", "token": "Token" },',
    '"password": { "type": "string", "format": "password", "description": "{prose6}" },',
    "![logo](data:image/png;base64,iVBORw0KGgo{b64200})",
    ".token.password { color: #{hex6}; } .sk-folding-cube-container-wrapper { width: 40px }",
    "create table users (id bigint primary key, password_hash text not null, token uuid unique);",
    "sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpb{b64120}",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b6443} dev@example.com",
    "-----BEGIN CERTIFICATE-----\nMII{b6461}\n-----END CERTIFICATE-----",
    "The `password` field is required; see [tokens](./tokens.md#access-token) for the `secret` option.",
    "SHA256:{b6443} dev@example.com (ED25519)",
  ],
];
