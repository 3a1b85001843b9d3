import { expect, it } from "vitest";
import { topicTermsOf } from "../../../src/statements/text/topic-terms.ts";

it("keeps topic words, drops common words", () => {
  expect(topicTermsOf("please add the retry to our billing client")).toEqual(["retri", "bill", "client"]);
  expect(topicTermsOf("bitte den Import wieder schneller machen")).toEqual(["import", "schneller"]);
});

it("compares Russian words by their beginnings, and Chinese by pairs of characters", () => {
  const [one, other] = [topicTermsOf("блокировка висит"), topicTermsOf("снята блокировку")];
  expect(one.filter((term) => other.includes(term))).toHaveLength(1);
  expect(topicTermsOf("网关限制")).toEqual(["网关", "关限", "限制"]);
});
