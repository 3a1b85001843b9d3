// Sentences in which the user tells of a decision: "we decided to go with Stripe". Eight languages.
import { cueOf, removing } from "../../text/cue-pattern.ts";

/** What was decided: "we decided to go with Stripe" gives "go with Stripe". Null for another sentence. */
export function decidedIn(sentence: string): string | null {
  if (!decided.test(sentence) || undoes.test(sentence)) return null;
  const content = removing(decided, sentence)
    .replace(/^[\s,:;，：、]+/u, "")
    .trim();
  return /\p{L}/u.test(content) ? content : null;
}

// "We went with a quick hack there, clean it up" asks to undo it.
const undoes =
  /[,;] (?:so |and |now |please )*(?:undo|revert|redo|clean|fix|remove|replace|leave|take) (?:(?:the|my|our) (?:last|whole|[\w.-]+)|it|that|this|them)(?: [\w.-]+){0,2}[.!]*$/i;

// "Since we decided that" gives a reason for something else.
const decided = cueOf({
  words: `(?<!(?:since|after|when|before|because|if|unless|until|once|as|what|why|how) )(?:we|i|they|(?:the|our) (?:\\w+ )?(?:team|board|client|customer|boss|management|designers?|architects?|committee|owner|company))(?:'ve| have| has| had)? (?:(?:all|both|just|now|also|already|finally|recently|eventually|jointly|then) ){0,2}(?:decided|agreed|settled|chose(?! (?:badly|poorly|wrong\\w*))|chosen|picked(?! (?:up|out|off))|opted|voted(?! against [^.]{1,80}, so ))(?: (?:to|that|on|upon|for|in favou?r of))?|
    (?:it|this) (?:was|has been|is) (?:decided|agreed)(?: (?:to|that|on))?|(?:the|our) decision(?: is| was)?(?: to| that| ?:)|
    (?:we're|we are|we will be|we'll be) going with|we went with|(?:we'll|we will) go with|
    (?:wir haben|haben wir|ich habe|habe ich|(?:das|unser) team hat|es wurde)(?= [^.]{0,90}(?:beschlossen|entschieden|geeinigt|vereinbart|gewählt))(?: (?:uns|gestern|heute|jetzt|schon|gemeinsam|endlich|dafür|darauf|dazu)){0,3}|(?:beschlossen|entschieden|geeinigt|vereinbart)(?:,? dass)?|
    (?:hemos|han|he) (?:\\w+ )?(?:decidido|acordado|elegido|optado por|quedado en)(?: que)?|(?:decidimos|acordamos|elegimos|optamos por|quedamos en)(?: que)?|se (?:ha )?(?:decidió|decidido)(?: que)?|el equipo (?:ha )?(?:decidió|decidido)(?: que)?|
    (?:on a|nous avons|j'ai|l'équipe a) (?:\\w+ )?(?:décidé|choisi|convenu|opté|retenu|tranché)(?: (?:de|d'|que|pour))?|il a été décidé(?: (?:de|que))?|
    (?:(?:a gente|nós|o time|a equipe) )?(?:decidiu|decidimos|combinamos|combinou|escolhemos|optamos por|optou por|acordamos)(?: (?:que|de))?|(?:foi|ficou) decidido(?: que)?|
    (?:мы |команда )?(?:решили|решила|договорились|выбрали|остановились на)(?:,? что)?|(?:было )?решено`,
  runs: "(?:我们|团队|大家)(?:已经|刚刚?|都|最后|最终|一起)*(?:决定|商定|选择了?|选定了?|说好|定了)|ことにし(?:た|まし(?:た)?)|に決め(?:た|まし(?:た)?)|に決まりました|に決定し(?:た|まし(?:た)?)",
});
