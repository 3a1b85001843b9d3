// What is in a document that text alone does not bring there.
import type { OpenPage } from "./browser.ts";

/** Elements, attributes and addresses that a payload brought. Styles that scripts set, and charts, are the viewer's own. */
export async function foreignParts({ page }: Pick<OpenPage, "page">): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if ("pwned" in window) found.push("a script ran");
    for (const element of document.querySelectorAll("*")) {
      const name = element.localName;
      if (
        /^(img|iframe|object|embed|video|audio|svg|math|base|template|marquee)$/.test(name) &&
        !element.matches("figure.chart > svg")
      )
        found.push(name);
      for (const { name: attribute, value } of element.attributes) {
        const isOwn = attribute === "style" && element.closest(".virtual, .shares");
        if (/^on|^(srcdoc|style|formaction)$/.test(attribute) && !isOwn) found.push(`${name} ${attribute}`);
        if (/^(href|src|action)$/.test(attribute) && !/^(#\/|\/assets\/)/.test(value))
          found.push(`${name} ${attribute}=${value}`);
      }
    }
    if (document.querySelectorAll("script").length !== 1) found.push("a second script");
    return [...new Set(found)];
  });
}
