import { type Columns, columnsOf } from './columns.ts'
import { type Packed, pack } from './pack.ts'
import { TOGETHER } from './together.ts'
import type { Report } from './types.ts'

/** What the page reads at once. */
export interface PageData {
  readonly head: Omit<Report, 'iterations'>
  readonly columns: Columns
}

/** The report for the page: what is seen at once, and the details in pieces that are decoded when somebody looks. */
export function pageData(report: Report): { readonly data: PageData; readonly pieces: readonly Packed[] } {
  const { iterations, ...head } = report
  const pieces: Packed[] = []
  for (let from = 0; from < iterations.length; from += TOGETHER)
    pieces.push(pack(iterations.slice(from, from + TOGETHER)))
  return { data: { head, columns: columnsOf(report) }, pieces }
}
