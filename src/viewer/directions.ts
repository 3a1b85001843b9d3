// Texts without the invisible controls that reorder a line: a record must not disguise its command or path.
import { options } from "preact";

/**
 * Takes direction controls out of every text that is shown or read aloud; values of fields keep theirs. Call it before
 * `render`.
 */
export function showPlainText(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    // The properties of a text node are the text itself.
    const props: unknown = vnode.props;
    if (typeof props === "string") Object.assign(vnode, { props: withoutDirections(props) });
    else if (typeof vnode.type === "string") cleanAttributes(vnode.props as Record<string, unknown>);
    before?.(vnode);
  };
}

const attributes = ["title", "aria-label", "placeholder", "label", "alt"];

function cleanAttributes(props: Record<string, unknown>): void {
  for (const name of attributes) {
    const value = props[name];
    if (typeof value === "string" && controls.test(value)) props[name] = withoutDirections(value);
  }
}

function withoutDirections(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

const controls = /[\u202a-\u202e\u2066-\u2069]/;
