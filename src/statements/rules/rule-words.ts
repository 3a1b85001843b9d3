// The classes of wording that distinguish rules from other sentences; each language has a list for each.

/** Lists for `cueOf`. "Opens" means matched at the start of a clause, after filler words. */
export interface RuleWords {
  common: string; // function words: they tell the language
  filler: string; // what may stand before the first word that counts
  question: string; // opens a question without a question mark
  polite: string; // opens a request in the form of a question
  once: string; // limits a wish to this task or to a time
  reported: string; // gives the words of somebody else
  doubt: string; // an opinion, a guess or a case that is only imagined
  event: string; // tells what happened
  bug: string; // tells what misbehaves
  task: string; // opens a request to do something now
  product: string; // opens a sentence about the product: its users, its screens, what it handles
  produce: string; // what a product does, after "always" and "never"
  artifact: string; // what rules of a project are about: tests, commits, names
  duration: string; // says that it stands from now on or in general
  remember: string; // opens what is to be remembered
  applies: string; // says that it applies to all of a kind
  always: string;
  never: string;
  only: string;
  noOne: string;
  devVerb: string; // what no one may do
  every: string;
  possessive: string; // our
  here: string; // with us, in this project
  habit: string; // we do, in the present tense
  deontic: string;
  copula: string; // says in the present tense how things are
  place: string; // says where things belong
  stays: string; // says that it shall stay as it is
  prohibit: string; // opens a prohibition
  generic: string; // makes a prohibition general: anything, by hand, ever
  command: string; // opens a general order: always run, never commit
  single: string; // what makes an object one certain thing: articles, ordinals, numbers
  lasting: string; // opens an order on a kind of thing: never use this tool. `<kind>` stands for a word that is none of `single`
  environment: string; // says what a machine or a network has, or how to reach it
  adopt: string; // opens an order to use a kind of thing
  noNoun: string; // opens "no such thing"
  condition: string; // for every case: whenever you, before each
  occasion: string; // for one case or every case: when you, before you
  answer: string; // what the agent writes to the user
  shape: string; // how that is to look
  prefer: string;
  contrast: string; // this, not that
  correction: string; // opens a correction of what the agent did
  changed: string; // says what is done another way now: adopted, abandoned
  passive: string; // says what people do to things: written, edited, named
  general: string; // a statement about all things of a kind: "dates are in UTC"
  norm: string; // what every piece of code of a kind must have: "every table needs a comment"
  definite: string; // forbids something about one certain thing
  pointsBack: string; // speaks of what the sentence before said: "same for all figures"
  everywhere: string; // in all projects
  nextTime: string; // from the next time on
  label: string; // opens a clause that names a text with a convention, before a colon: "commit subjects in this repo: ..."
  takenBack: string; // opens the withdrawal of what was just said: "forget it"
  withdraws: string; // opens the withdrawal of a habit: "drop the prefixes"
  instead: string; // opens what replaces a habit: "instead ..."
  order: string; // what comes first in an answer
}

export type Cue = keyof RuleWords;
