// A certificate made by the running test: the sources contain no key, and none expires.
import { generateKeyPairSync, sign } from "node:crypto";

export interface SelfSigned {
  key: string;
  cert: string;
}

/** A key and a certificate for `host`, its own authority, good for a day. */
export function selfSigned(host: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = sequence(set(sequence(oid("550403"), der(0x0c, Buffer.from(host)))));
  const names = der(0x30, der(0x82, Buffer.from(host)));
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));
  const signedWith = sequence(oid("2a8648ce3d040302"));
  const body = sequence(
    der(0xa0, integer(2)),
    integer(Date.now()),
    signedWith,
    name,
    sequence(time(-3_600_000), time(86_400_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        sequence(oid("551d13"), der(0x01, Buffer.from([0xff])), der(0x04, isAuthority)),
        sequence(oid("551d11"), der(0x04, names)),
      ),
    ),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]);
  const certificate = sequence(body, signedWith, der(0x03, signature));
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function set(...parts: Buffer[]): Buffer {
  return der(0x31, ...parts);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function integer(value: number): Buffer {
  const hex = value.toString(16);
  return der(
    0x02,
    Buffer.from(`00${hex.length % 2 === 0 ? hex : `0${hex}`}`.replace(/^00(?=[0-7])/, ""), "hex"),
  );
}

function time(fromNowMs: number): Buffer {
  const text = new Date(Date.now() + fromNowMs).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}
