// A secret value that cannot be printed by accident: every conversion to text gives `[secret]`.
import { inspect } from "node:util";

const mask = "[secret]";

/** A key or token. Only `reveal()` gives the text; logs, JSON, templates and the debugger see `[secret]`. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** False when nothing is set. */
  get isSet(): boolean {
    return this.#text !== "";
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}
