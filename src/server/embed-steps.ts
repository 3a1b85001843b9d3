// One step of a walk through a project: some of its records are claimed, embedded and stored, or given back.

import { failOpen } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { embedItems } from "../recall/embed/embed-items.ts";
import { type Embedder, EmbedFailure } from "../recall/embed/embedder.ts";
import { observationText } from "../recall/embed/observation-text.ts";
import { unitVector } from "../recall/vectors/int8.ts";
import type { Connections } from "../store/postgres/open.ts";
import {
  type Claimed,
  claimRecords,
  type EmbeddedRecord,
  putVectors,
  releaseClaim,
  type UnembeddedRecord,
} from "../store/postgres/vector-work.ts";
import type { EmbedTurn } from "./embed-turns.ts";

export interface EmbeddedCounts {
  made: number;
  refused: number;
}

export interface EmbedSteps {
  /** What was embedded, and where to go on; null when another process, or a purge, has the project. */
  take(turn: EmbedTurn): Promise<Claimed | null>;
  counts(): Readonly<EmbeddedCounts>;
}

interface StepDeps {
  system: Connections;
  embedder: Embedder;
  /** Where the extension is. */
  schema: string;
  signal: AbortSignal;
  /** The embedder's vectors have become longer or shorter: those it made before cannot be compared with them. */
  onOtherDimension(): void;
}

const lookedAtOnce = 2_000;

export function createEmbedSteps(deps: StepDeps): EmbedSteps {
  const { system, embedder, schema, signal, onOtherDimension } = deps;
  const counts: EmbeddedCounts = { made: 0, refused: 0 };
  let dimension: number | null = null;

  async function take(turn: EmbedTurn): Promise<Claimed | null> {
    const claim = newId();
    const { before, after } = turn;
    const claimed = await claimRecords(system, turn, {
      ...{ ...embedder.identity, claim, dimension, before, after },
      ...{ window: lookedAtOnce, limit: embedder.batch },
    });
    const records = claimed?.records ?? [];
    if (records.length === 0) return claimed;
    try {
      await embed(turn, claim, records);
    } catch (cause) {
      await giveBack(turn, claim, records);
      throw cause;
    }
    return claimed;
  }

  async function embed(turn: EmbedTurn, claim: string, records: readonly UnembeddedRecord[]): Promise<void> {
    const store = (made: readonly EmbeddedRecord[]) => putVectors(system, turn, { claim, schema, made });
    const refused: UnembeddedRecord[] = [];
    await embedItems<UnembeddedRecord>(embedder, records, {
      textOf: observationText,
      signal,
      onRefused: (record) => void refused.push(record),
      async put(some, vectors) {
        learnDimension(vectors);
        counts.made += await store(some.map(({ seq }, at) => ({ seq, vector: unitOf(vectors[at]) })));
      },
    });
    // Some servers answer so for a model that they do not have: no text of theirs is at fault.
    if (refused.length > 1 && refused.length === records.length)
      throw new EmbedFailure("setup", "The embedder refuses every text.");
    if (refused.length > 0) counts.refused += await store(refused.map(({ seq }) => ({ seq, vector: null })));
  }

  // The server may have another model under the name.
  function learnDimension([first]: readonly Float32Array[]): void {
    const length = first?.length ?? 0;
    if (dimension !== null && dimension !== length) onOtherDimension();
    dimension = length;
  }

  async function giveBack(
    turn: EmbedTurn,
    claim: string,
    records: readonly UnembeddedRecord[],
  ): Promise<void> {
    const after = Math.min(...records.map(({ seq }) => seq));
    await failOpen("giving back what was to be embedded", () => releaseClaim(system, turn, { claim, after }));
  }

  return { take, counts: () => counts };
}

function unitOf(vector: Float32Array | undefined): Float32Array | null {
  return unitVector(vector ?? new Float32Array()) ?? null;
}
