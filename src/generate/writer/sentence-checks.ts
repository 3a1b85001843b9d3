// Checks of a quoted sentence that need no model: a guess is no cause, a question no decision, and "passed" needs a run.
import type { StatementKind } from "../../core/records/statement.ts";
import type { Turn } from "../../core/records/turn.ts";
import { readRuns } from "../../statements/commands/runs.ts";
import { closingCuesOf, isQuestion, promptCuesOf } from "../../statements/text/sentence-cues.ts";
import { cueOf } from "../../text/cue-pattern.ts";

/** Whether a sentence can be what the model takes it for. */
export function canBe(kind: StatementKind, text: string, turn: Turn): boolean {
  const cues = closingCuesOf(text);
  switch (kind) {
    case "rule":
    case "preference":
      return !isQuestion(text) && !promptCuesOf(text).has("oneOff");
    case "open":
      return true;
    case "fix":
    case "command":
      return !isQuestion(text);
    case "outcome":
      if (failure.test(text) && !success.test(text)) return false;
      return isSettled(text, cues) && (!passed.test(text) || hasPassedRun(turn));
    default:
      return isSettled(text, cues) && (!passed.test(text) || hasPassedRun(turn));
  }
}

function isSettled(text: string, cues: ReturnType<typeof closingCuesOf>): boolean {
  return !cues.has("guess") && !isQuestion(text) && !intention.test(text);
}

function hasPassedRun({ uses }: Turn): boolean {
  return readRuns(uses).runs.some(({ isOfTurn, outcome }) => isOfTurn && outcome === "passed");
}

/** Whether a sentence has a word of an order that lasts, or of an agent's work: one without is a proposal. */
export function soundsLasting(text: string): boolean {
  const cues = promptCuesOf(text);
  return ruleCues.some((cue) => cues.has(cue)) || closingCuesOf(text).has("general");
}

const ruleCues = ["never", "lasting", "duration", "important", "ban", "norm", "work"] as const;

/** Whether the user names more than this project. */
export function saysEverywhere(text: string): boolean {
  return allProjects.test(text);
}

/** Whether a text gives orders to the agent that will read it. */
export function ordersReader(text: string): boolean {
  return order.test(text);
}

const intention = cueOf(
  {
    words: `i'll|i will|let me|i'm going to|i am going to|we'll|next i|i can|i could|we could|we should|
      ich werde|lass mich|ich kann|je vais|je peux|voy a|puedo|déjame|vou|posso|deixa eu|я сейчас|сейчас я|я могу|буду`,
    runs: "我会|我来|我将|让我|可以帮|します(?:ね|か)|しましょう",
  },
  "^\\W*(?:(?:ok|okay|now|so|next|then|and)[ ,]+)*",
);
const failure = cueOf({
  words: `fail(?:s|ed|ing|ures?)?|still (?:broken|red|missing)|does(?:n't| not) work|did(?:n't| not) (?:work|help)|not (?:yet )?(?:working|fixed|done|finished)|
    schlägt fehl|fehlgeschlagen|funktioniert (?:noch )?nicht|échoue\\w*|ne marche pas|falla\\w*|no funciona|falh\\w+|não funciona|не работает|падает`,
  runs: "失败|不工作|失敗|動かない",
});
const success = cueOf({
  words: `no longer|not any ?more|anymore|0 (?:failed|failures)|no failures|fixed|passes|without failures|
    nicht mehr|ne [^.]{1,30} plus|ya no|não [^.]{1,30} mais|больше не`,
  runs: "不再|修复|修正|直りました",
});
const passed = cueOf({
  words: `(?:tests?|suite|build|lint\\w*|checks?|ci|typecheck)(?: [^.]{0,40})? (?:pass(?:es|ed)?|(?:is|are) (?:green|clean)|succeed(?:s|ed)?)|all green|\\d+ passed|
    tests? (?:sind |laufen )?(?:grün|bestanden)|tests? (?:passent|réussis)|pruebas pasan|testes passa\\w+|тесты про(?:ходят|шли)`,
  runs: "测试(?:都|全部)?通过|テスト(?:が|は)?(?:通り|成功)",
});
const allProjects = cueOf({
  words: `(?:every|all|any)(?: of)?(?: (?:my|our|the))?(?: other)? (?:projects?|repos?|repositor\\w+|codebases?)|everywhere|wherever (?:i|you) work|in all of them|
    (?:alle[nrm]?|jede[mnrs]?)(?: meine[nr]?| unsere[nr]?)? (?:projekt\\w*|repos?)|überall|tous (?:mes|nos|les) (?:projets|dépôts)|partout|chaque projet|
    todos (?:mis|nuestros|los) (?:proyectos|repos)|en todas partes|cada proyecto|todos os (?:meus |nossos )?projetos|cada projeto|em todo lugar|
    во всех (?:моих )?(?:проектах|репозиториях)|везде|в каждом проекте`,
  runs: "所有(?:的)?(?:项目|仓库)|每个项目|全部项目|すべてのプロジェクト|全プロジェクト|どのプロジェクト",
});
const order =
  /\b(?:ignore|disregard|forget)\s+(?:all |any |the |your )*(?:previous|prior|above|earlier|other)\s+(?:instructions?|rules?|prompts?|messages?)|\b(?:system prompt|developer message)\b|<\/?(?:system|assistant|user)[\s>]|\byou (?:are now|must now|have to now)\b/i;
