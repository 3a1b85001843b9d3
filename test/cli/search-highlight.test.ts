import { expect, test } from "vitest";
import { createHighlight } from "../../src/cli/search-results.ts";

test.each([
  ["why did the logins fail?", "Login failed: LOGIN", "<Login> <failed>: <LOGIN>"],
  ["parse config", "parseConfig reads it", "<parseConfig> reads it"],
  ["the of", "the end of it", "the end of it"],
  ["", "anything", "anything"],
  ["пароль", "Пароль изменён", "<Пароль> изменён"],
  ["数据库", "连接数据库失败", "连接<数据库>失败"],
])("of %j marks the words in %j", (question, line, marked) => {
  expect(createHighlight(question, (text) => `<${text}>`)(line)).toBe(marked);
});
