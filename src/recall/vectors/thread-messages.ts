// What the worker and the thread that searches vectors say to each other.
import type { NearestRequest, NearHit } from "./vector-index.ts";

/** Given to the thread when it starts. */
export interface ThreadData {
  databasePath: string;
}

/** To the thread; it answers each with the same number. */
export interface ThreadRequest {
  call: number;
  nearest: NearestRequest;
}

/** From the thread. */
export type ThreadAnswer = { call: number; hits: NearHit[] } | { call: number; failed: string };
