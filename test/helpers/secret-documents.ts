// Documents with one secret each, as tools show them: every family in every place, drawn from a seed.

import { keyBlockDocuments } from "./key-blocks.ts";
import { placedSecrets } from "./placed-secrets.ts";
import type { Random } from "./random.ts";
import { sampleProse } from "./sample-text.ts";
import { type SecretFamily, secretFamilies, secretPart } from "./secret-families.ts";

export interface SecretDocument {
  family: string;
  place: string;
  text: string;
  /** What must not survive. */
  secrets: readonly string[];
}

interface Named {
  /** In the vendor's spelling. */
  name: string;
  /** In lower case, and in camel case. */
  plain: string;
  camel: string;
  value: string;
}

type Place = (named: Named, random: Random) => string;

const base64 = (text: string) => Buffer.from(text).toString("base64");

// Where only the secret's own form can tell, a value needs one: these places keep a name near.
const places: Record<string, Place> = {
  "env file": ({ name, value }) => `NODE_ENV=production\n${name}=${value}\nPORT=3000\n`,
  "quoted env file": ({ name, value }) => `# staging\n${name}="${value}"\nDEBUG=0\n`,
  export: ({ name, value }) => `$ export ${name}='${value}'\n$ npm start\n`,
  "inline variable": ({ name, value }) => `$ ${name}=${shellWord(value)} ./deploy.sh --region eu-west-1\n`,
  dockerfile: ({ name, value }) => `FROM node:20\nENV ${name} ${shellWord(value)}\nCMD ["node"]\n`,
  "docker run": ({ name, value }) => `docker run -d -e ${name}=${shellWord(value)} -p 80:80 acme/app\n`,
  compose: ({ name, value }) =>
    `services:\n  app:\n    environment:\n      - ${name}=${value}\n    restart: always\n`,
  yaml: ({ plain, value }) => `service:\n  ${plain}: ${value}\n  replicas: 2\n`,
  "quoted yaml": ({ camel, value }) => `config:\n  ${camel}: "${value}"\n`,
  "name and value": ({ name, value }) => `env:\n  - name: ${name}\n    value: "${value}"\n`,
  json: ({ camel, value }) => JSON.stringify({ host: "db.example.com", [camel]: value, retries: 3 }, null, 2),
  "json line": ({ plain, value }) => JSON.stringify({ level: "info", [plain]: value, pid: 4021 }),
  "json in json": ({ name, value }) => JSON.stringify({ body: JSON.stringify({ [name]: value, n: 1 }) }),
  toml: ({ plain, value }) => `[service]\n${plain} = "${value}"\ntimeout = 30\n`,
  ini: ({ plain, value }) => `[default]\nregion = eu-west-1\n${plain} = ${value}\noutput = json\n`,
  properties: ({ plain, value }) => `spring.app.${plain.replaceAll("_", "-")}=${value}\nserver.port=8080\n`,
  xml: ({ camel, value }) => `<settings>\n  <${camel}>${xmlText(value)}</${camel}>\n</settings>\n`,
  "xml attribute": ({ name, value }) =>
    `<appSettings>\n  <add key="${name}" value="${xmlText(value)}" />\n</appSettings>\n`,
  typescript: ({ camel, value }) =>
    `const client = createClient({\n  ${camel}: "${value}",\n  retries: 3,\n});\n`,
  python: ({ name, value }) => `import os\n${name} = "${value}"\nclient = Client(${name})\n`,
  go: ({ camel, value }) => `func main() {\n\t${camel} := "${value}"\n\trun(${camel})\n}\n`,
  java: ({ name, value }) => `private static final String ${name} = "${value}";\n`,
  php: ({ plain, value }) => `return [\n    '${plain}' => '${value}',\n];\n`,
  ruby: ({ name, value }) => `ENV["${name}"] ||= "${value}"\n`,
  hcl: ({ plain, value }) =>
    `variable "${plain}" {\n  type    = string\n  default = "x"\n}\n${plain} = "${value}"\n`,
  fallback: ({ name, value }) => `const value = process.env.${name} || "${value}";\n`,
  flag: ({ plain, value }) => `$ acme deploy --${plain.replaceAll("_", "-")} ${shellWord(value)} --yes\n`,
  "flag with =": ({ plain, value }) =>
    `$ acme deploy --${plain.replaceAll("_", "-")}=${shellWord(value)} --yes\n`,
  "log line": ({ plain, value }) =>
    `2026-03-04T10:11:12Z INFO config loaded ${plain}=${shellWord(value)} attempt=2\n`,
  "log object": ({ camel, value }) => `[debug] options { ${camel}: '${value}', timeout: 30 }\n`,
  "stack trace": ({ camel, value }) =>
    `Error: refused (${camel}="${value}")\n    at send (/app/src/client.ts:41:11)\n    at main (/app/src/main.ts:7:3)\n`,
  prose: ({ plain, value }) =>
    `For the demo use the ${plain.replaceAll("_", " ")} \`${value}\` until Friday.\n`,
  "prose with is": ({ plain, value }) =>
    `By the way, the ${plain.replaceAll("_", " ")} is ${value} and it works.\n`,
  "prose with colon": ({ plain, value }) => `Hi! ${plain.replaceAll("_", " ")}: ${value}\nThanks.\n`,
  "added line": ({ name, value }) => `@@ -1,2 +1,3 @@\n PORT=1\n+${name}=${value}\n HOST=a\n`,
  "removed line": ({ camel, value }) =>
    `@@ -4 +4 @@\n-  ${camel}: "${value}",\n+  ${camel}: read("${camel}"),\n`,
  grep: ({ name, value }) => `deploy/.env:12:${name}=${value}\ndeploy/run.sh:3:echo done\n`,
  "numbered listing": ({ name, value }) => `    11→# secrets\n    12→${name}=${value}\n    13→PORT=1\n`,
  history: ({ name, value }) =>
    `  511  cd app\n  512  export ${name}=${shellWord(value)}\n  513  npm start\n`,
  "url query": ({ plain, value }) =>
    `GET https://api.example.com/v1/items?page=2&${plain}=${encodeURIComponent(value)}&sort=asc 200\n`,
  "form body": ({ plain, value }) =>
    `grant_type=client_credentials&${plain}=${encodeURIComponent(value)}&scope=all\n`,
  "encoded form": ({ plain, value }) =>
    `redirect=https%3A%2F%2Fapp.example.com%2F%3F${encodeURIComponent(`${plain}=${value}&state=abc`)}\n`,
  "double encoded": ({ plain, value }) =>
    `next=${encodeURIComponent(encodeURIComponent(`/cb?${plain}=${encodeURIComponent(value)}&x=1`))}\n`,
  "encoded json": ({ camel, value }) =>
    `GET /q?variables=${encodeURIComponent(JSON.stringify({ [camel]: value, n: 1 }))} HTTP/1.1\n`,
  "coloured value": ({ name, value }) => `\u001b[36m${name}\u001b[0m=\u001b[33m${value}\u001b[0m\nok\n`,
  "coloured line": ({ plain, value }) =>
    `\u001b[90m10:11:12\u001b[39m ${plain}: \u001b[32m'${value}'\u001b[39m\u001b[0m\n`,
  "value then colour": ({ name, value }) => `${name}=${value}\u001b[0m\n\u001b[32mdone\u001b[0m\n`,
  "coloured grep": ({ name, value }) =>
    `\u001b[35m\u001b[K.env\u001b[m\u001b[K:\u001b[01;31m\u001b[K${name}\u001b[m\u001b[K=${value}\n`,
  "escaped colours": ({ name, value }) =>
    JSON.stringify({ stdout: `\u001b[1m${name}\u001b[0m: \u001b[33m${value}\u001b[0m\n` }),
  "html escaped": ({ camel, value }) => `<pre>{&quot;${camel}&quot;: &quot;${xmlText(value)}&quot;}</pre>\n`,
  "unicode escaped": ({ plain, value }) =>
    `{"url":"https:\\/\\/api.example.com\\/?a=1\\u0026${plain}=${encodeURIComponent(value)}\\u0026b=2"}`,
  "base64 of a line": ({ name, value }) => `echo ${base64(`${name}=${value}`)} | base64 -d >> .env\n`,
  "base64 of a file": ({ name, value }) =>
    `apiVersion: v1\nkind: Secret\ndata:\n  .env: ${base64(`NODE_ENV=production\n${name}=${value}\nPORT=3000\n`)}\n`,
  "base64 of json": ({ camel, value }) =>
    `payload: ${base64(JSON.stringify({ host: "a", [camel]: value }))}\n`,
  "kubernetes secret": ({ plain, value }) =>
    `apiVersion: v1\ndata:\n  ${plain.replaceAll("_", "-")}: ${base64(value)}\nkind: Secret\nmetadata:\n  name: app\n`,
  powershell: ({ name, value }) => `PS C:\\app> $env:${name} = "${value}"\nPS C:\\app> .\\run.ps1\n`,
  "windows set": ({ name, value }) => `C:\\app> set ${name}=${value}\r\nC:\\app> run.cmd\r\n`,
  "markdown table": ({ name, value }) =>
    `| Name | Value |\n| --- | --- |\n| ${name} | ${value} |\n| PORT | 1 |\n`,
  heredoc: ({ name, value }) => `cat > .env <<'EOF'\n${name}=${value}\nEOF\n`,
  "wrangler prompt": ({ name, value }) => `? Enter a value for ${name}: ${value}\nSuccess\n`,
  "printed tuple": ({ name, value }) => `[('HOST', 'a'), ('${name}', '${value}')]\n`,
  "crlf file": ({ name, value }) => `HOST=a\r\n${name}=${value}\r\nPORT=1\r\n`,
};

// A shell would need quotes around these.
function shellWord(value: string): string {
  return /[&;|<>()$`\\"'*?#! ]/.test(value) ? `'${value}'` : value;
}

function xmlText(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** So many documents, families and places in turn. */
export function secretDocuments(count: number, random: Random): SecretDocument[] {
  const kinds = [
    ...secretFamilies.map((family) => () => inAPlace(family, random)),
    ...placedSecrets(random),
    keyBlockDocuments(random),
  ];
  return Array.from({ length: count }, (_, index) => {
    const make = kinds[index % kinds.length];
    if (make === undefined) throw new RangeError("no kind of document");
    const document = make();
    const around = (words: number) => `${sampleProse(random, words)}\n`;
    return {
      ...document,
      text: random.next() < 0.5 ? document.text : `${around(4)}${document.text}\n${around(3)}`,
    };
  });
}

function inAPlace({ family, names, make }: SecretFamily, random: Random): SecretDocument {
  const [place, form] = random.pick(Object.entries(places));
  const name = random.pick(names);
  const plain = /[a-z]/.test(name)
    ? name.replace(/[a-z](?=[A-Z])/g, "$&_").toLowerCase()
    : name.toLowerCase();
  const camel = plain.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const value = make(random);
  const part = secretPart(value);
  const spellings = [part, encodeURIComponent(part), base64(value).replace(/=+$/, "").slice(0, -2)];
  return { family, place, text: form({ name, plain, camel, value }, random), secrets: spellings };
}
