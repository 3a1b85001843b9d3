// Wire shapes of the viewer: pages and the files that they load.
import * as z from "zod";

/** Content types of the viewer's files by extension; other files are not served. */
export const viewerTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const file = z.lazy(() => z.string());

/** Answer of `/`, `/tv` and `/tv.html`. */
export const viewerPage = { content: { "text/html": { schema: file } } };

/** Answer of `/assets/:file` and `/favicon.ico`. */
export const viewerAsset = {
  content: Object.fromEntries(
    Object.values(viewerTypes).map((type) => [type.split(";")[0] ?? "", { schema: file }]),
  ),
};

/** `{ file }` of a path. */
export const viewerAssetParams = z.lazy(() => z.object({ file: z.string() }));
