// Names of files in a text, beside names of functions and products that look like them.

/** Endings of source files, settings and documents, as a part of a pattern. */
export const fileEndings =
  "[cm]?[jt]sx?|jsonc?|ya?ml|toml|mdx?|pyi?|ipynb|rb|erb|go|rs|java|kts?|scala|swift|dart|php|lua|exs?|c|cc|cpp|cs|h|hpp|sql|prisma|graphql|proto|tf|gradle|sh|ps1|s?html?|xml|svg|s?css|less|vue|svelte|txt|csv|cfg|conf|ini|lock";

const inFolder = /^[\w@.~-]*\/[\w@.~/-]*[\w@-]\.[a-z]{1,10}$/i;
const alone = new RegExp(`^\\.?[\\w@-][\\w@.-]*\\.(?:${fileEndings})$`, "i");
const product =
  /^(?:angular|alpine|backbone|chart|d3|discord|ember|express|nest|next|node|nuxt|p5|react|socket|solid|three|vue)\.(?:js|io)$/i;

/** Whether it names a file: `src/cart.ts`, `cart.ts`; not `Math.round`, `process.env` or `Node.js`. */
export function isFileName(name: string): boolean {
  return inFolder.test(name) || (alone.test(name) && !product.test(name));
}
