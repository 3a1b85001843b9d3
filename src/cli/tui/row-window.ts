// A long list as pages, of which only those around the reader stay in memory.
import type { Row } from "./rows.ts";

/** Where a page begins: a count of records before it, or the record before it. */
export type Place = { offset: number } | { before: string; before_epoch: number };

interface Page {
  place: Place | null;
  count: number;
  /** Null after it was dropped: it is read again when the reader comes back. */
  rows: readonly Row[] | null;
}

export interface RowWindow {
  pages: readonly Page[];
  /** Where the next page begins; null at the end of the list. */
  next: Place | null;
  /** False until the first page is there. */
  isRead: boolean;
}

/** A failure in words, with the next step. */
export interface Fault {
  message: string;
  hint: string;
}

export const emptyWindow: RowWindow = { pages: [], next: null, isRead: false };

// Far more than any screen, so that a page is read long before its rows are seen.
const keptAround = 2;

/** How many rows of the list are known. */
export function knownRows({ pages }: RowWindow): number {
  return pages.reduce((sum, { count }) => sum + count, 0);
}

/** The row at a place; undefined while its page is not in memory. */
export function rowAt(list: RowWindow, at: number): Row | undefined {
  const found = pageAt(list, at);
  return found === undefined ? undefined : list.pages[found.index]?.rows?.[at - found.start];
}

/** The list with a page that was read: the page of that number, or a new one at the end. */
export function withPage(
  list: RowWindow,
  index: number,
  { place, rows, next }: { place: Place | null; rows: readonly Row[]; next: Place | null },
): RowWindow {
  const page: Page = { place, count: rows.length, rows };
  if (index < list.pages.length) return { ...list, pages: list.pages.with(index, page) };
  return { pages: [...list.pages, page], next: rows.length === 0 ? null : next, isRead: true };
}

/** The page to read for a reader at `at` who sees `height` rows; null when all is there. */
export function missingPage(
  list: RowWindow,
  { at, height }: { at: number; height: number },
): { index: number; place: Place | null } | null {
  if (!list.isRead) return { index: 0, place: null };
  const last = knownRows(list) - 1;
  for (const place of [at, Math.max(0, at - height), Math.min(last, at + height)]) {
    const found = pageAt(list, place);
    const page = found === undefined ? undefined : list.pages[found.index];
    if (found !== undefined && page?.rows === null) return { index: found.index, place: page.place };
  }
  return at + 2 * height > last && list.next !== null ? { index: list.pages.length, place: list.next } : null;
}

/** The list without the rows of pages that are far from the reader. */
export function droppedFar(list: RowWindow, at: number): RowWindow {
  const here = pageAt(list, at)?.index ?? 0;
  const isFar = (page: Page, index: number) => page.rows !== null && Math.abs(index - here) > keptAround;
  if (!list.pages.some(isFar)) return list;
  return {
    ...list,
    pages: list.pages.map((page, index) => (isFar(page, index) ? { ...page, rows: null } : page)),
  };
}

/** The list with a change of its rows; a row that becomes null is left out. */
export function mapRows(list: RowWindow, change: (row: Row) => Row | null): RowWindow {
  let isChanged = false;
  const pages = list.pages.map((page) => {
    if (page.rows === null) return page;
    const rows = page.rows.map(change);
    if (rows.every((row, at) => row === page.rows?.[at])) return page;
    isChanged = true;
    const left = rows.filter((row) => row !== null);
    return { ...page, rows: left, count: left.length };
  });
  return isChanged ? { ...list, pages } : list;
}

/** The list with a row before its first one. A reader at the top keeps only the newest pages. */
export function withNewest(list: RowWindow, row: Row, { isAtTop }: { isAtTop: boolean }): RowWindow {
  const [first, ...rest] = list.pages;
  if (first === undefined || first.rows === null) return list;
  const grown = { ...first, rows: [row, ...first.rows], count: first.count + 1 };
  const pages = grown.rows.length > 2 * splitAt ? splitPage(grown) : [grown];
  const all = [...pages, ...rest];
  const cut = all[keptAround];
  if (!isAtTop || cut === undefined) return { ...list, pages: all };
  return { ...list, pages: all.slice(0, keptAround), next: cut.place };
}

const splitAt = 100;

function splitPage({ place, rows }: { place: Place | null; rows: readonly Row[] }): Page[] {
  const upper = rows.slice(0, splitAt);
  const lower = rows.slice(splitAt);
  const last = upper.at(-1);
  const below = last === undefined ? null : { before: last.name, before_epoch: last.at };
  return [
    { place, count: upper.length, rows: upper },
    { place: below, count: lower.length, rows: lower },
  ];
}

function pageAt({ pages }: RowWindow, at: number): { index: number; start: number } | undefined {
  let start = 0;
  for (const [index, { count }] of pages.entries()) {
    if (at < start + count) return { index, start };
    start += count;
  }
  return undefined;
}
