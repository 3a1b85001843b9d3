// Plugins of the build: code that the worker and the command line run at its first use instead of at their start.
import { readFile } from "node:fs/promises";

/** Modules of Node that are loaded with the code, but called later or never. */
export const lateModules = (...modules) => ({
  name: "required-at-first-call",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(node:)?(${modules.join("|")})$`) }, ({ path, namespace }) =>
      namespace === "late" ? undefined : { path: path.replace("node:", ""), namespace: "late" },
    );
    onLoad({ filter: /./, namespace: "late" }, async ({ path }) => {
      const { default: real } = await import(path);
      const parts = Object.keys(real).map((name) =>
        typeof real[name] === "function"
          ? `${name}: (...given) => required().${name}(...given)`
          : `get ${name}() { return required().${name}; }`,
      );
      const contents = `const required = () => require("node:${path}"); module.exports = { ${parts.join(", ")} };`;
      return { contents };
    });
  },
});

// The router compiles a function for each part of a path, 130 of them, most of which no session asks for; and fastify loads
// `semver` to check plugins that state a version, of which the worker has none. At first use instead: 6 ms of the start.
export const lateRouterCode = {
  name: "router-compiled-at-first-match",
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /find-my-way[\\/]lib[\\/]node\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
      const compiled = "return new Function('path', 'i', `'use strict'\\nreturn ${lines.join(' && ')}`)";
      if (!text.includes(compiled)) throw new Error(`${path} compiles no function as it did.`);
      const late = `let compiled; return (path, i) => (compiled ??= ${compiled.slice("return ".length)})(path, i)`;
      return { contents: text.replace(compiled, () => late) };
    });
    onResolve({ filter: /^semver$/ }, ({ namespace }) =>
      namespace === "late-semver" ? undefined : { path: "semver", namespace: "late-semver" },
    );
    onLoad({ filter: /./, namespace: "late-semver" }, () => ({
      contents: ["coerce", "gt", "satisfies"]
        .map((name) => `exports.${name} = (...given) => require("semver").${name}(...given);`)
        .join("\n"),
      resolveDir: import.meta.dirname,
    }));
  },
};
