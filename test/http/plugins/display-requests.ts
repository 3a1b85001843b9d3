// Requests for the TV's four targets, and what an attacker changes about them.
import * as fc from "fast-check";

export interface DisplayRequest {
  method: string;
  /** The request target without its query. */
  path: string;
  /** With the `?`, or empty. */
  query: string;
  headers: [name: string, value: string][];
  /** Written before the request line. */
  preface: string;
}

export const displayPaths = ["/tv", "/tv.html", "/stream", "/api/observations"];

/** A request that another machine may send. */
export function displayRequest(path: string, token: string, inHeader: boolean): DisplayRequest {
  return {
    method: "GET",
    path,
    query: inHeader ? "" : `?token=${token}`,
    headers: inHeader ? [["authorization", `Bearer ${token}`]] : [],
    preface: "",
  };
}

/** `pick` chooses a place in the path: a number from 0 up. */
type Mutation = (request: DisplayRequest, pick: number) => Partial<DisplayRequest>;

const inPath = (change: (path: string, at: number) => string): Mutation => {
  return (request, pick) => ({ path: change(request.path, pick % request.path.length) });
};

const withChar = (path: string, at: number, change: (char: string) => string): string =>
  path.slice(0, at) + change(path.charAt(at)) + path.slice(at + 1);

const percent = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const withHeader = (name: string, value: string): Mutation => {
  return ({ headers }) => ({ headers: [...headers, [name, value]] });
};

const lookAlikes: Readonly<Record<string, string>> = {
  t: "т",
  v: "ѵ",
  s: "ѕ",
  a: "а",
  "/": "∕",
  ".": "․",
  o: "о",
};

export const mutations: Readonly<Record<string, Mutation>> = {
  "other case": inPath((path, at) =>
    withChar(path, at, (char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase())),
  ),
  "percent encoding": inPath((path, at) => withChar(path, at, percent)),
  "double encoding": inPath((path, at) => withChar(path, at, (char) => percent(char).replace("%", "%25"))),
  "slash before": inPath((path) => `/${path}`),
  "slash inside": inPath((path, at) => withChar(path, at, (char) => `${char}/`)),
  "slash after": inPath((path) => `${path}/`),
  "dot segment": inPath((path) => `/.${path}`),
  "parent segment": inPath((path, at) => `${["/x/..", "/..", "/api/../"][at % 3]}${path}`),
  "path parameter": inPath((path) => `${path};x=1`),
  "encoded slash": inPath((path, at) => withChar(path, at, (char) => `%2f${char}`)),
  "encoded backslash": inPath((path, at) => withChar(path, at, (char) => `%5c${char}`)),
  backslash: inPath((path) => path.replace("/", "\\")),
  "encoded NUL": inPath((path) => `${path}%00`),
  tab: inPath((path, at) => withChar(path, at, (char) => `${char}\t`)),
  fragment: inPath((path) => `${path}#x`),
  "absolute form": inPath(
    (path, at) => `${["http://evil.example", "http://127.0.0.1", "//evil.example"][at % 3]}${path}`,
  ),
  "other method": (_request, pick) => ({
    method: ["HEAD", "OPTIONS", "POST", "get", "TRACE", "PUT"][pick % 6] ?? "",
  }),
  "override header": withHeader("x-http-method-override", "DELETE"),
  "look-alike": inPath((path, at) => withChar(path, at, (char) => lookAlikes[char] ?? `${char}\u0301`)),
  "h2 preface": () => ({ preface: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" }),
  "upgrade to h2c": ({ headers }) => ({
    headers: [
      ...headers,
      ["connection", "Upgrade, HTTP2-Settings"],
      ["upgrade", "h2c"],
      ["http2-settings", "AAMAAABk"],
    ],
  }),
  "word after": inPath((path, at) => path + ["/by-file", "s", ".html", "?", "%3f"][at % 5]),
};

const names = Object.keys(mutations);

/** One of the four targets with a valid token and 1 to 3 mutations. */
export function mutatedRequests(token: string): fc.Arbitrary<DisplayRequest> {
  const step = fc.tuple(fc.nat(names.length - 1), fc.nat(40));
  return fc
    .tuple(fc.nat(3), fc.boolean(), fc.array(step, { minLength: 1, maxLength: 3 }))
    .map(([target, inHeader, steps]) => {
      let request = displayRequest(displayPaths[target] ?? "", token, inHeader);
      for (const [name, pick] of steps) {
        const mutate = mutations[names[name] ?? ""];
        if (mutate !== undefined) request = { ...request, ...mutate(request, pick) };
      }
      return request;
    });
}

/** The bytes of the request, for a raw socket. */
export function bytesOf({ method, path, query, headers, preface }: DisplayRequest, host: string): string {
  const lines = [["Host", host], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${preface}${method} ${path}${query} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
