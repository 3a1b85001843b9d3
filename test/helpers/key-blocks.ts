// Private keys as files hold them and as tools show them: whole, cut, prefixed, quoted, escaped.
import type { Random } from "./random.ts";
import type { SecretDocument } from "./secret-documents.ts";
import { drawn } from "./secret-families.ts";

interface KeyBlock {
  kind: string;
  lines: readonly string[];
}

function keyBlock(random: Random, kind: string): KeyBlock {
  const body = (first: string, width: number, last: number) => [
    first + drawn(random, `<b${width - first.length}>`),
    ...Array.from({ length: random.between(5, 24) }, () => drawn(random, `<b${width}>`)),
    `${drawn(random, `<b${last}>`)}=`,
  ];
  const pem = (label: string, lines: readonly string[]) => ({
    kind,
    lines: [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`],
  });
  switch (kind) {
    case "pkcs8":
      return pem("PRIVATE KEY", body("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 64, 27));
    case "encrypted":
      return pem("ENCRYPTED PRIVATE KEY", body("MIIFHDBOBgkqhkiG9w0BBQ0w", 64, 51));
    case "dek":
      return pem("RSA PRIVATE KEY", [
        "Proc-Type: 4,ENCRYPTED",
        `DEK-Info: AES-128-CBC,${drawn(random, "<x32>")}`,
        "",
        ...body("", 64, 19),
      ]);
    case "ec":
      return pem("EC PRIVATE KEY", [
        `MHcCAQEEI${drawn(random, "<b55>")}`,
        drawn(random, "<b64>"),
        `${drawn(random, "<b34>")}==`,
      ]);
    case "openssh":
      return pem("OPENSSH PRIVATE KEY", body("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ", 70, 33));
    case "pgp":
      return pem("PGP PRIVATE KEY BLOCK", [
        "Version: GnuPG v2",
        "",
        ...body("lQOYBF", 64, 30),
        `=${drawn(random, "<b4>")}`,
      ]);
    case "ssh2":
      return {
        kind,
        lines: [
          "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
          'Comment: "2048-bit RSA, dev@example.com"',
          ...body("P2/56wAAA", 70, 40),
          "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        ],
      };
    case "ppk":
      return {
        kind,
        lines: [
          "PuTTY-User-Key-File-3: ssh-ed25519",
          "Encryption: none",
          "Comment: ed25519-key-20260101",
          "Public-Lines: 2",
          `AAAAC3NzaC1lZDI1NTE5AAAAI${drawn(random, "<b39>")}`,
          drawn(random, "<b20>"),
          "Private-Lines: 2",
          drawn(random, "<b64>"),
          `${drawn(random, "<b40>")}=`,
          `Private-MAC: ${drawn(random, "<x64>")}`,
        ],
      };
    default:
      return pem("RSA PRIVATE KEY", body("MIIEpAIBAAKCAQEA", 64, 40));
  }
}

const kinds = ["rsa", "pkcs8", "encrypted", "dek", "ec", "openssh", "pgp", "ssh2", "ppk"];

type Shape = (lines: readonly string[], random: Random) => string;

const head = (lines: readonly string[], of = 0.6) =>
  lines.slice(0, Math.max(3, Math.floor(lines.length * of)));
const joined = (lines: readonly string[], by: string) => lines.join(by);
const prefixed = (lines: readonly string[], prefix: (at: number) => string) =>
  lines.map((line, at) => prefix(at) + line).join("\n");
const stamp = (at: number) => `2026-03-04T10:11:${String(12 + (at % 40)).padStart(2, "0")}.${100 + at}Z`;

/** Every way to show a block that we know of. */
const keyShapes: Record<string, Shape> = {
  whole: (lines) => joined(lines, "\n"),
  "without its end": (lines) => joined(head(lines), "\n"),
  "cut inside a line": (lines) => joined(head(lines), "\n").slice(0, -23),
  "cut and text after it": (lines) => `${joined(head(lines), "\n")}\n\nThat was the key.\n`,
  "named, quoted": (lines) => `PRIVATE_KEY="${joined(lines, "\n")}"\nPORT=1`,
  "named, cut by head": (lines) => `PORT=1\nPRIVATE_KEY="${joined(head(lines), "\n")}\n`,
  "named, cut, without quotes": (lines) => `private_key=${joined(head(lines), "\n")}`,
  "named, cut, apostrophe": (lines) => `export SSH_KEY='${joined(head(lines), "\n")}`,
  "named, cut to one line": (lines) => `$ head -2 .env\nPRIVATE_KEY="${joined(lines.slice(0, 2), "\n")}\n`,
  "one line with \\n": (lines) => `{"private_key": "${joined(lines, "\\n")}\\n", "client": 1}`,
  "one line with \\n, cut": (lines) => `{"private_key": "${joined(head(lines), "\\n")}`,
  "one line with \\\\n": (lines) => JSON.stringify(JSON.stringify({ key: joined(lines, "\n") })),
  "one line with \\r\\n": (lines) => `key: "${joined(lines, "\\r\\n")}"`,
  "one line with spaces": (lines) => `KEY=${joined(lines, " ")}\nPORT=1`,
  "one line, cut": (lines) => `echo ${joined(head(lines), " ")}`,
  "env with \\n": (lines) => `PRIVATE_KEY="${joined(lines, "\\n")}"\nPORT=3000`,
  "yaml block": (lines) => `tls:\n  key: |\n${prefixed(lines, () => "    ")}\n  port: 1`,
  "yaml block, cut": (lines) => `tls:\n  private_key: |\n${prefixed(head(lines), () => "    ")}\n`,
  heredoc: (lines) => `cat > key.pem <<'EOF'\n${joined(lines, "\n")}\nEOF\n`,
  "windows line ends": (lines) => joined(lines, "\r\n"),
  "windows line ends, cut": (lines) => joined(head(lines), "\r\n"),
  "added in a diff": (lines) => `@@ -0,0 +1,9 @@\n${prefixed(lines, () => "+")}\n`,
  "removed in a diff, cut": (lines) => `@@ -1,9 +0,0 @@\n${prefixed(head(lines), () => "-")}\n`,
  "numbered listing": (lines) => prefixed(lines, (at) => `${String(at + 1).padStart(6)}\t`),
  "numbered listing, cut": (lines) => prefixed(head(lines), (at) => `${String(at + 1).padStart(5)}→`),
  "grep -A": (lines) => prefixed(lines, (at) => (at === 0 ? "keys/id_rsa:12:" : `keys/id_rsa-${12 + at}-`)),
  "grep -A, cut": (lines) => prefixed(head(lines), (at) => (at === 0 ? "file:12:" : `file-${12 + at}-`)),
  "grep -n -A, cut": (lines) => prefixed(head(lines), (at) => (at === 0 ? "12:" : `${12 + at}-`)),
  "grep -B": (lines) => prefixed(lines.slice(2), (at) => `deploy/key.pem-${at + 2}-`),
  "start missing": (lines) => joined(lines.slice(2), "\n"),
  "start missing, indented": (lines) => prefixed(lines.slice(2), () => "      "),
  "start missing in a listing": (lines) =>
    prefixed(lines.slice(2), (at) => `${String(at + 40).padStart(6)}\t`),
  "start missing with \\n": (lines) => `...${joined(lines.slice(2), "\\n")}\\n"}`,
  "start missing in a log": (lines) => prefixed(lines.slice(2), (at) => `${stamp(at)} app | `),
  "start missing, windows": (lines) => joined(lines.slice(2), "\r\n"),
  "log with timestamps": (lines) => prefixed(lines, (at) => `${stamp(at)} `),
  "log with timestamps, cut": (lines) => prefixed(head(lines), (at) => `[${stamp(at)}] INFO `),
  "compose log": (lines) => prefixed(lines, () => "app-1  | "),
  "compose log, cut": (lines) => prefixed(head(lines), () => "app_1 | "),
  "json log": (lines) =>
    lines.map((line, at) => JSON.stringify({ level: 30, time: 1767000000000 + at, msg: line })).join("\n"),
  "json log, cut": (lines) =>
    head(lines)
      .map((line, at) => JSON.stringify({ log: `${line}\n`, stream: "stdout", time: stamp(at) }))
      .join("\n"),
  "syslog, cut": (lines) =>
    prefixed(head(lines), (at) => `Mar  4 10:11:${12 + (at % 40)} host app[${4021}]: `),
  "kubectl logs with pod": (lines) => prefixed(lines, () => "[pod/app-7c9d8f6b5-x2x4z/app] "),
  "quoted mail": (lines) => prefixed(lines, () => "> "),
  comment: (lines) => prefixed(lines, () => "# "),
  "doc comment, cut": (lines) => prefixed(head(lines), () => " * "),
  "joined strings": (lines) => `const key =\n${lines.map((line) => `  "${line}\\n" +`).join("\n")}\n  "";`,
  "joined strings, cut": (lines) =>
    `key = (\n${head(lines)
      .map((line) => `    '${line}\\n'`)
      .join("\n")}`,
  "array of lines": (lines) => JSON.stringify(lines, null, 2),
  "array in one line, cut": (lines) => JSON.stringify(head(lines)).slice(0, -1),
  coloured: (lines) => lines.map((line) => `\u001b[32m+${line}\u001b[m`).join("\n"),
  "coloured listing, cut": (lines) => prefixed(head(lines), (at) => `\u001b[38;5;238m${at + 1}\u001b[0m `),
  "url encoded": (lines) => `key=${encodeURIComponent(joined(lines, "\n"))}&x=1`,
  "base64 of the file": (lines) =>
    `data:\n  tls.key: ${Buffer.from(joined(lines, "\n")).toString("base64")}\n`,
  "base64, wrapped": (lines) => Buffer.from(joined(lines, "\n")).toString("base64").replace(/.{76}/g, "$&\n"),
  "base64, cut": (lines) => Buffer.from(joined(head(lines), "\n")).toString("base64"),
  "markdown fence": (lines) => `Key:\n\n\`\`\`\n${joined(lines, "\n")}\n\`\`\`\n`,
  "xml element": (lines) => `<key>${joined(lines, "\n")}</key>`,
  "cat -A": (lines) => lines.map((line) => `${line}$`).join("\n"),
  "wide indent, cut": (lines) => prefixed(head(lines), () => " ".repeat(14)),
};

/** What must not survive of a block: every line of its body that says something. */
function bodyOf({ kind, lines }: KeyBlock): string[] {
  const from = kind === "ppk" ? 7 : 1;
  return lines.slice(from, -1).filter((line) => /^[A-Za-z0-9+/=]{24,}$/.test(line));
}

/** The block of each kind in each shape. */
export function keyBlocks(random: Random): SecretDocument[] {
  return kinds.flatMap((kind) => Object.keys(keyShapes).map((shape) => documentOf(kind, shape, random)));
}

/** Makes documents of any kind in any shape. */
export function keyBlockDocuments(random: Random): () => SecretDocument {
  return () => documentOf(random.pick(kinds), random.pick(Object.keys(keyShapes)), random);
}

function documentOf(kind: string, shape: string, random: Random): SecretDocument {
  const block = keyBlock(random, kind);
  const show = keyShapes[shape];
  if (show === undefined) throw new RangeError(shape);
  return {
    family: `private key (${kind})`,
    place: shape,
    text: show(block.lines, random),
    // A part of each line: shapes may escape a slash or cut the last one.
    secrets: bodyOf(block).map((line) => line.slice(0, 20)),
  };
}
