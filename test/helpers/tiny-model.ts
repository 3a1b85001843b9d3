// A model of embeddings that a test makes: a table of word vectors in ONNX, written byte by byte, and its tokenizer.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One row of the table for each word; the last number of every row is 1, so that no text is without direction. */
const words = ["[PAD]", "[UNK]", "cache", "memory", "button", "colour", "query", "passage", ":"];

/** The dimension of its vectors. */
export const tinyDimension = 8;

/** Writes the model into `directory` as a model directory of the hub looks, and gives the directory back. */
export function writeTinyModel(directory: string): string {
  mkdirSync(join(directory, "onnx"), { recursive: true });
  const files: [string, unknown][] = [
    ["config.json", { model_type: "bert", architectures: ["BertModel"], vocab_size: words.length }],
    [
      "tokenizer_config.json",
      { tokenizer_class: "BertTokenizer", model_max_length: 128, pad_token: "[PAD]", unk_token: "[UNK]" },
    ],
    ["tokenizer.json", tokenizer()],
  ];
  for (const [name, value] of files) writeFileSync(join(directory, name), JSON.stringify(value));
  writeFileSync(join(directory, "onnx", "model.onnx"), onnxModel());
  return directory;
}

function tokenizer(): object {
  const special = words.slice(0, 2).map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
    },
  };
}

// last_hidden_state = Gather(table, input_ids). Numbers are the fields of the messages in onnx.proto.
function onnxModel(): Buffer {
  const table = Float32Array.from({ length: words.length * tinyDimension }, (_, at) => {
    const [row, column] = [Math.floor(at / tinyDimension), at % tinyDimension];
    return column === tinyDimension - 1 ? 0.5 : Number(row % (tinyDimension - 1) === column);
  });
  const node = [text(1, "table"), text(1, "input_ids"), text(2, "last_hidden_state"), text(4, "Gather")];
  const initializer = [
    number(1, words.length),
    number(1, tinyDimension),
    number(2, float32),
    text(8, "table"),
    bytes(9, Buffer.from(table.buffer)),
  ];
  const graph = [
    bytes(1, node),
    text(2, "tiny"),
    bytes(5, initializer),
    bytes(11, valueInfo("input_ids", int64, ["batch", "length"])),
    bytes(12, valueInfo("last_hidden_state", float32, ["batch", "length", tinyDimension])),
  ];
  return Buffer.concat([number(1, 8), bytes(7, graph), bytes(8, [text(1, ""), number(2, 13)])]);
}

const float32 = 1;
const int64 = 7;

function valueInfo(name: string, type: number, shape: readonly (string | number)[]): Buffer[] {
  const dims = shape.map((dim) => bytes(1, [typeof dim === "string" ? text(2, dim) : number(1, dim)]));
  return [text(1, name), bytes(2, [bytes(1, [number(1, type), bytes(2, dims)])])];
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, parts: Buffer | readonly Buffer[]): Buffer {
  const content = Buffer.isBuffer(parts) ? parts : Buffer.concat(parts);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const encoded: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...encoded, rest]);
    encoded.push((rest % 128) | 128);
  }
}
