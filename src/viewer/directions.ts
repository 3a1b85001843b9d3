// Text nodes without the invisible controls that reorder a line: a record must not disguise its command or path.
import { options } from "preact";

/** Takes direction controls out of every text that is shown; values of fields keep theirs. Call it before `render`. */
export function showPlainText(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    // The properties of a text node are the text itself.
    const text: unknown = vnode.props;
    if (typeof text === "string") Object.assign(vnode, { props: withoutDirections(text) });
    before?.(vnode);
  };
}

function withoutDirections(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}
