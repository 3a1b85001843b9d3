// The classes of wording that tell a rule from other sentences of a prompt; one list per language.

/** Lists for `cueOf`. "Opens" means that the list is matched at the start of a clause, after filler words. */
export interface RuleWords {
  /** Function words: they tell the language. */
  common: string;
  /** What may stand before the first word that counts. */
  filler: string;
  /** Opens a question without a question mark. */
  question: string;
  /** Opens a request in the form of a question. */
  polite: string;
  /** Limits a wish to this task or to a time. */
  once: string;
  /** Gives the words of somebody else. */
  reported: string;
  /** An opinion, a guess or a case that is only imagined. */
  doubt: string;
  /** Tells what happened. */
  event: string;
  /** Tells what misbehaves. */
  bug: string;
  /** Opens a request to do something now. */
  task: string;
  /** Opens a sentence about the product: its users, its screens, what it handles. */
  product: string;
  /** What a product does, after "always" and "never". */
  produce: string;
  /** What rules of a project are about: tests, commits, names. */
  artifact: string;
  /** Says that it stands from now on or in general. */
  duration: string;
  /** Opens what is to be remembered. */
  remember: string;
  /** Says that it applies to all of a kind. */
  applies: string;
  always: string;
  never: string;
  only: string;
  nobody: string;
  /** What nobody may do. */
  devVerb: string;
  every: string;
  /** Our. */
  possessive: string;
  /** With us, in this project. */
  here: string;
  /** We do, in the present tense. */
  habit: string;
  deontic: string;
  /** Says in the present tense how things are. */
  copula: string;
  /** Says where things belong. */
  place: string;
  /** Says that it shall stay as it is. */
  stays: string;
  /** Opens a prohibition. */
  prohibit: string;
  /** Makes a prohibition general: anything, by hand, ever. */
  generic: string;
  /** Opens a general order: always run, never commit. */
  command: string;
  /** What makes an object one certain thing: articles, ordinals, numbers. */
  single: string;
  /**
   * Opens an order on a kind of thing: never use this tool, never edit this folder. `<kind>` stands for a word that no
   * word of `single` is.
   */
  lasting: string;
  /** Says what a machine or a network has, or how to reach it. */
  environment: string;
  /** Opens an order to use a kind of thing. */
  adopt: string;
  /** Opens "no such thing". */
  noNoun: string;
  /** For every case: whenever you, before each. */
  condition: string;
  /** For one case or every case: when you, before you. */
  occasion: string;
  /** What the agent writes to the user. */
  answer: string;
  /** How that is to look. */
  shape: string;
  prefer: string;
  /** This, not that. */
  contrast: string;
  /** Opens a correction of what the agent did. */
  correction: string;
  /** Says what was decided or given up. */
  decided: string;
  /** Says what people do to things: written, edited, named. */
  passive: string;
  /** A statement about all things of a kind: "dates are in UTC". */
  general: string;
  /** Forbids something about one certain thing. */
  definite: string;
  /** Speaks of what the sentence before said: "same for all figures". */
  pointsBack: string;
  /** In all projects. */
  everywhere: string;
  /** From the next time on. */
  nextTime: string;
  /** Opens a clause that names a text with a convention, before a colon: "commit subjects in this repo: ...". */
  label: string;
  /** Opens the withdrawal of what was just said: "forget it". */
  takenBack: string;
  /** Opens the withdrawal of a habit: "drop the prefixes". */
  withdraws: string;
  /** Opens what replaces a habit: "instead ...". */
  instead: string;
  /** What comes first in an answer. */
  order: string;
}

export type Cue = keyof RuleWords;
