// The viewer and the TV page: files of the package, read at the first request, with their content security policy.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { MemError } from "../../core/errors.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { lookupErrors } from "../schemas/error.ts";
import { viewerAsset, viewerAssetParams, viewerPage, viewerTypes } from "../schemas/viewer.ts";

interface ViewerFile {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

/** `/`, `/assets/:file`, `/favicon.ico` and the TV page at `/tv` and `/tv.html`, from the files in `directory`. */
export function viewerRoutes(app: App, directory: string): void {
  let files: ReadonlyMap<string, ViewerFile> | undefined;
  const answer = (request: FastifyRequest, reply: FastifyReply, path: string): void => {
    // An unfinished build must not stay for the life of the worker.
    const all = files ?? readViewer(directory);
    if (all.has("/")) files = all;
    const file = all.get(path);
    if (file === undefined)
      throw path === "/" || path === "/tv" ? notBuilt() : new MemError("not_found", noFile);
    sendFile(request, reply, file);
  };
  const page = (url: string, path: string, summary: string) =>
    route(app, `GET ${url}`, {
      summary,
      response: { 200: viewerPage, ...lookupErrors },
      handler: (request, reply) => answer(request, reply, path),
    });
  page("/", "/", "The viewer.");
  page("/tv", "/tv", "The TV page: observations as they are made, for a display.");
  page("/tv.html", "/tv", "The same as /tv.");
  const asset = { 200: viewerAsset, ...lookupErrors };
  route(app, "GET /assets/:file", {
    summary: "A script, style or picture of the viewer.",
    params: viewerAssetParams,
    response: asset,
    handler: (request, reply) => answer(request, reply, `/assets/${request.params.file}`),
  });
  route(app, "GET /favicon.ico", {
    summary: "The icon of the viewer.",
    response: asset,
    handler: (request, reply) => answer(request, reply, "/favicon.ico"),
  });
}

const noFile = { message: "There is no such file.", hint: "GET / is the viewer." };

function notBuilt(): MemError {
  return new MemError("not_found", {
    message: "The viewer is not built.",
    hint: "Run `npm run build` in the folder of the package, then open it again.",
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { body, headers }: ViewerFile): void {
  // Set by the request guard for other machines: no copy may stay behind.
  const isStored = !reply.hasHeader("cache-control");
  for (const [name, value] of Object.entries(headers)) {
    if (isStored || (name !== "cache-control" && name !== "etag")) reply.header(name, value);
  }
  if (isStored && headers.etag !== undefined && request.headers["if-none-match"] === headers.etag) {
    reply.code(304).send();
  } else {
    reply.send(body);
  }
}

/** The files by request path. A type that is not in the table is not served. */
function readViewer(directory: string): ReadonlyMap<string, ViewerFile> {
  const files = new Map<string, ViewerFile>();
  for (const [name, body] of contentsOf(join(directory, "assets"))) {
    files.set(`/assets/${name}`, fileOf(name, body, "public, max-age=31536000, immutable"));
  }
  for (const [name, body] of contentsOf(directory)) {
    if (name === "index.html") files.set("/", fileOf(name, body, "no-cache"));
    if (name === "tv.html") files.set("/tv", fileOf(name, body, "no-cache"));
    if (name === "favicon.ico") files.set("/favicon.ico", fileOf(name, body, "no-cache"));
  }
  return files;
}

function contentsOf(directory: string): [name: string, body: Buffer][] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && Object.hasOwn(viewerTypes, extname(entry.name)))
    .map(({ name }) => [name, readFileSync(join(directory, name))]);
}

function fileOf(name: string, body: Buffer, cacheControl: string): ViewerFile {
  const isPage = extname(name) === ".html";
  return {
    body,
    headers: {
      "content-type": viewerTypes[extname(name)] ?? "",
      "cache-control": cacheControl,
      "content-security-policy": policyOf(isPage ? String(body) : ""),
      etag: `"${digestOf(body, "base64url")}"`,
    },
  };
}

// The policy allows inline scripts and styles by their digests only.
function policyOf(page: string): string {
  return [
    "default-src 'none'",
    `script-src ${sourcesOf("script", page)}`,
    `style-src ${sourcesOf("style", page)}`,
    "connect-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function sourcesOf(tag: string, page: string): string {
  const texts = [...page.matchAll(new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`, "g"))]
    .map(([, text = ""]) => text)
    .filter((text) => text !== "");
  return ["'self'", ...texts.map((text) => `'sha256-${digestOf(text, "base64")}'`)].join(" ");
}

function digestOf(content: string | Buffer, encoding: "base64" | "base64url"): string {
  return createHash("sha256").update(content).digest(encoding);
}
