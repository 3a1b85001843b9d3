// Secrets that a file's format gives away: netrc, pgpass, hashes of passwords, kubeconfig, seed phrases, key pairs.
import { createHash } from "node:crypto";
import type { Random } from "./random.ts";
import type { SecretDocument } from "./secret-documents.ts";
import { drawn } from "./secret-families.ts";

type Layout = (secret: string, random: Random) => string;

interface Placed {
  family: string;
  make: (random: Random) => string;
  layouts: Record<string, Layout>;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const password = (random: Random) =>
  drawn(random, random.pick(["<l5><u2><d3>!<n2>", "<n16>", "<l6>-<l5>-<d2>", "<n9>#<n3>"]));

// Lines of a file as tools show them.
const shown: readonly ((lines: string) => string)[] = [
  (lines) => lines,
  (lines) => lines.replace(/^/gm, "+"),
  (lines) =>
    lines
      .split("\n")
      .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
      .join("\n"),
  (lines) => lines.replace(/^/gm, "    "),
  (lines) => JSON.stringify({ stdout: lines }),
  (lines) => lines.replaceAll("\n", "\r\n"),
];

const hashes: readonly [string, string][] = [
  ["bcrypt", "$2y$10$<n53>"],
  ["bcrypt 2b", "$2b$12$<n53>"],
  ["apr1", "$apr1$<n8>$<n22>"],
  ["sha512-crypt", "$6$<n16>$<n86>"],
  ["sha512-crypt with rounds", "$6$rounds=656000$<n16>$<n86>"],
  ["sha256-crypt", "$5$<n16>$<n43>"],
  ["yescrypt", "$y$j9T$<n22>$<n43>"],
  ["md5-crypt", "$1$<n8>$<n22>"],
  ["argon2id", "$argon2id$v=19$m=65536,t=3,p=4$<n22>$<n43>"],
];

function phrase(random: Random): string {
  return Array.from({ length: random.pick([12, 15, 18, 21, 24]) }, () => random.pick(seedWords)).join(" ");
}

const placed: readonly Placed[] = [
  {
    family: "netrc",
    make: password,
    layouts: {
      "one line": (secret) => `machine api.example.com login deploy password ${secret}`,
      lines: (secret) =>
        `machine api.example.com\n  login deploy\n  password ${secret}\nmachine other.example.com`,
      default: (secret) => `default login anonymous password ${secret}`,
      account: (secret) => `machine ftp.example.com login bob account x password ${secret} macdef init`,
    },
  },
  {
    family: "pgpass",
    make: (random) => drawn(random, random.pick(["<n14>", "<l6><d3>!<u2>", "<l5>-<l6>-<d3>"])),
    layouts: {
      host: (secret) => `db.example.com:5432:app:deploy:${secret}`,
      any: (secret) => `*:*:*:postgres:${secret}`,
      "two lines": (secret) =>
        `# hostname:port:database:username:password\nlocalhost:6432:*:app:${secret}\n10.0.0.7:5433:app:ro:${secret}`,
      echo: (secret) => `echo "localhost:5432:app:app:${secret}" > ~/.pgpass`,
    },
  },
  {
    family: "password file",
    make: (random) => drawn(random, random.pick(hashes)[1]),
    layouts: {
      htpasswd: (secret) => `admin:${secret}\nguest:x`,
      shadow: (secret) => `root:${secret}:19700:0:99999:7:::\ndaemon:*:19700:0:99999:7:::`,
      compose: (secret) =>
        `- "traefik.http.middlewares.auth.basicauth.users=admin:${secret.replaceAll("$", "$$$$")}"`,
      "sql row": (secret) => `insert into users values (1, 'bob', '${secret}');`,
      "console table": (secret) => ` id | name | digest\n----+------+-----\n  1 | bob  | ${secret}`,
    },
  },
  {
    family: "ldap password",
    make: (random) =>
      random.pick(["{SHA}", "{SSHA}"]) + createHash("sha1").update(drawn(random, "<n9>")).digest("base64"),
    layouts: {
      htpasswd: (secret) => `bob:${secret}`,
      ldif: (secret) => `dn: uid=bob,dc=example\nuserPassword: ${secret}\n`,
    },
  },
  {
    family: "kubeconfig client key",
    make: (random) =>
      base64(
        `-----BEGIN RSA PRIVATE KEY-----\n${drawn(random, "MII<b61>\n<b64>\n<b64>\n<b20>")}\n-----END RSA PRIVATE KEY-----\n`,
      ),
    layouts: {
      yaml: (secret) =>
        `users:\n- name: admin\n  user:\n    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM\n    client-key-data: ${secret}`,
      json: (secret) => `{"user":{"client-key-data":"${secret}"}}`,
      folded: (secret) => `    client-key-data: >-\n      ${secret}\n`,
    },
  },
  {
    family: "kubeconfig token",
    make: (random) => drawn(random, random.pick(["<l6>.<a16>", "<n64>", "k8s-aws-v1.<n80>"])),
    layouts: { yaml: (secret) => `users:\n- name: admin\n  user:\n    token: ${secret}\ncurrent-context: a` },
  },
  {
    family: "seed phrase",
    make: phrase,
    layouts: {
      alone: (secret) => secret,
      named: (secret) => `Recovery phrase: ${secret}`,
      variable: (secret) => `MNEMONIC="${secret}"`,
      prose: (secret) => `I wrote it down: ${secret}. Keep it safe.`,
      numbered: (secret) =>
        secret
          .split(" ")
          .map((word, at) => `${at + 1}. ${word}`)
          .join("\n"),
      "numbered grid": (secret) =>
        secret
          .split(" ")
          .map((word, at) => `${String(at + 1).padStart(2)}. ${word.padEnd(10)}${at % 4 === 3 ? "\n" : ""}`)
          .join(""),
      array: (secret) => JSON.stringify(secret.split(" ")),
      wrapped: (secret) => secret.replace(/((?:\w+ ){5}\w+) /g, "$1\n"),
      comma: (secret) => secret.replaceAll(" ", ", "),
      code: (secret) => `const wallet = Wallet.fromPhrase('${secret}');`,
    },
  },
  {
    family: "aws pair without names",
    make: (random) => drawn(random, "<b17>x9K<b20>"),
    layouts: {
      csv: (secret, random) => `User,Id,Key\nci,${drawn(random, "AKIA<t16>")},${secret}\n`,
      "two lines": (secret, random) => `${drawn(random, "AKIA<t16>")}\n${secret}\n`,
      tabs: (secret, random) => `AccessKey\t${drawn(random, "ASIA<t16>")}\t${secret}\n`,
      prose: (secret, random) => `Use ${drawn(random, "AKIA<t16>")} / ${secret} for now.`,
      call: (secret, random) =>
        `boto3.client("s3", "eu-west-1", "${drawn(random, "AKIA<t16>")}", "${secret}")`,
      colon: (secret, random) => `${drawn(random, "AKIA<t16>")}:${secret}`,
      before: (secret, random) => `${secret} ${drawn(random, "AKIA<t16>")}`,
    },
  },
  {
    family: "aws token without a name",
    make: (random) => drawn(random, random.pick(["IQoJb3JpZ2luX2VjE<b300>=", "FwoGZXIvYXdzE<b280>=="])),
    layouts: {
      csv: (secret, random) => `${drawn(random, "ASIA<t16>,<b17>x9K<b20>")},${secret}\n`,
      lines: (secret, random) =>
        `${drawn(random, "ASIA<t16>")}\n${drawn(random, "<b17>x9K<b20>")}\n${secret}\n`,
      alone: (secret) => `got ${secret} back`,
    },
  },
  {
    family: "basic credential",
    make: (random) => base64(`admin:${drawn(random, "<n14>")}`),
    layouts: {
      header: (secret) => `Authorization: Basic ${secret}`,
      curl: (secret) => `curl -H "Authorization: Basic ${secret}" https://api.example.com`,
      alone: (secret) => `sending Basic ${secret} to the proxy`,
      docker: (secret) => `{"auths":{"registry.example.com":{"auth":"${secret}"}}}`,
      npmrc: (secret) => `//registry.example.com/:_auth=${secret}\n`,
    },
  },
  {
    family: "curl user",
    make: (random) => drawn(random, "<n12>"),
    layouts: {
      short: (secret) => `curl -sS -u admin:${secret} https://api.example.com`,
      long: (secret) => `curl --user 'admin:${secret}' https://api.example.com`,
      url: (secret) => `git clone https://bob:${secret}@git.example.com/a/b.git`,
      wget: (secret) => `wget --http-user=bob --http-password=${secret} https://api.example.com`,
    },
  },
  {
    family: "session cookie",
    make: (random) => drawn(random, "<n40>"),
    layouts: {
      header: (secret) => `Cookie: theme=dark; session_id=${secret}; n=1`,
      "set-cookie": (secret) => `< set-cookie: sid=${secret}; Path=/; HttpOnly`,
      curl: (secret) => `curl -b 'sessionid=${secret}' https://app.example.com`,
    },
  },
  {
    family: "custom header",
    make: (random) => drawn(random, random.pick(["<x32>", "<n40>", "<w43>"])),
    layouts: {
      "x-api-key": (secret) => `curl -H 'X-Api-Key: ${secret}' https://api.example.com`,
      "private-token": (secret) => `curl --header "PRIVATE-TOKEN: ${secret}" https://git.example.com`,
      "x-auth-token": (secret) => `> x-auth-token: ${secret}\n> accept: */*`,
      bearer: (secret) => `Authorization: Bearer ${secret}`,
      token: (secret) => `authorization: token ${secret}`,
    },
  },
  {
    family: "login command",
    make: (random) => drawn(random, "<n14>"),
    layouts: {
      docker: (secret) => `docker login -u bob -p ${secret} registry.example.com`,
      mysql: (secret) => `mysql -u root -p${secret.replace(/^./, "q7")} app < dump.sql`,
      sshpass: (secret) => `sshpass -p '${secret}' ssh bob@host.example.com`,
      redis: (secret) => `redis-cli -h cache.example.com -a ${secret} ping`,
    },
  },
  {
    family: "vault unseal key",
    make: (random) => drawn(random, "<b43>="),
    layouts: { init: (secret) => `Unseal Key 1: ${secret}\n\nVault initialized with 1 key shares\n` },
  },
  {
    family: "jwk",
    make: (random) => drawn(random, "<w43>"),
    layouts: {
      ec: (secret, random) =>
        `{"kty":"EC","crv":"P-256","x":"${drawn(random, "<w43>")}","y":"${drawn(random, "<w43>")}","d":"${secret}"}`,
      okp: (secret, random) =>
        `{\n  "kty": "OKP",\n  "crv": "Ed25519",\n  "d": "${secret}",\n  "x": "${drawn(random, "<w43>")}"\n}`,
      oct: (secret) => `{"kty":"oct","alg":"HS256","k":"${secret}"}`,
    },
  },
];

/** One maker for each of these families. */
export function placedSecrets(random: Random): (() => SecretDocument)[] {
  return placed.map(({ family, make, layouts }) => () => {
    const [place, layout] = random.pick(Object.entries(layouts));
    const secret = make(random);
    const text = random.pick(shown)(layout(secret, random));
    return { family, place, text, secrets: leftovers(family, secret) };
  });
}

// Of a phrase five words in a row are too many; a hash may have its dollars doubled.
function leftovers(family: string, secret: string): string[] {
  if (family === "seed phrase") return secret.split(" ").slice(3, 9);
  return family === "password file" ? [secret.slice(-20)] : [secret];
}

// A few of the 2,048 words of BIP 39, none of which stands in the prose around.
const seedWords =
  "abandon absorb acoustic advice aisle amateur anchor antenna apple arctic armor artwork athlete avocado badge bamboo banana bargain basket beauty bicycle biology blanket blossom bounce bracket breeze bronze bubble buffalo butter cabbage cactus camera canvas carbon casino castle catalog ceiling cereal charge cherry chimney cinnamon clarify clinic clutch coconut coffee column copper coral cotton coyote cradle cricket crouch crystal curtain cushion daughter debris decorate deliver denial deposit desert diamond diesel dinosaur dolphin donkey dragon dutch dwarf eager earth echo elbow elder elephant embark emerge enact energy enrich envelope episode erosion escape ethics evoke exotic fabric faculty famous fatigue february fiction flavor fluid forest fossil fragile frozen galaxy garlic gasp genius giraffe glimpse glove goddess gorilla gospel gravity grocery guitar habit hammer harvest hazard helmet hobby hollow hospital hover humble hurdle icon illness imitate impulse indoor inhale insect invest island ivory jaguar jazz jungle kangaroo kidney kitten knee ladder lava leopard liberty lizard lobster lottery lunar luxury magnet mammal mango marble matrix meadow midnight mimic mosquito mushroom mystery napkin noodle nuclear oblige obscure obvious olive orbit orchard ostrich oxygen oyster panther parrot pelican pigeon pizza planet pluck polar pottery pudding pulse puppy pyramid quantum quarter rabbit raccoon radar recipe rhythm ribbon rifle robot rocket saddle salmon satoshi scatter scorpion shrimp sibling siren sketch skull snack soccer spatial spider squirrel stadium sunset swamp swift sword syrup tackle tattoo tiger tobacco tomato topple tornado tortoise trumpet tunnel turkey turtle umbrella urban vacuum valley vanish velvet vendor violin volcano walnut warfare wasp whale whisper wisdom wolf wrist yellow zebra zone zoo".split(
    " ",
  );
