import { type FileTable, fileTable } from './file-table.ts'
import type { StoredBaseline } from './stored-baseline.ts'

/** The files as they are stored: long strings and a list, which are read many times faster than a property per file. */
export interface Columns {
  readonly paths: readonly string[]
  /** Separated by spaces, which no id contains. */
  readonly ids: string
  /** The numbers as bytes, base64. */
  readonly stats: string
}

/** Divisible by 3, so that parts in base64 can be joined. */
const ROWS_AT_ONCE = 6_000

/** The record as JSON, in parts: the text of 100,000 files at once takes several times its size while it is made. */
export function bodyOf({ files, ...rest }: StoredBaseline): readonly Buffer[] {
  const { paths, ids } = files
  const stats = Float64Array.from(files.stats)
  const inParts = (textOf: (from: number, to: number) => string) =>
    Array.from({ length: Math.ceil(paths.length / ROWS_AT_ONCE) }, (_, part) => {
      const from = part * ROWS_AT_ONCE
      return textOf(from, Math.min(from + ROWS_AT_ONCE, paths.length))
    })
  const texts = function* () {
    yield `${JSON.stringify(rest).slice(0, -1)},"files":{"paths":[`
    yield* inParts((from, to) => `${from === 0 ? '' : ','}${JSON.stringify(paths.slice(from, to)).slice(1, -1)}`)
    yield '],"ids":"'
    yield* inParts(
      (from, to) => `${from === 0 ? '' : ' '}${JSON.stringify(ids.slice(from, to).join(' ')).slice(1, -1)}`,
    )
    yield '","stats":"'
    yield* inParts((from, to) => Buffer.from(stats.buffer, 32 * from, 32 * (to - from)).toString('base64'))
    yield '"}}\n'
  }
  return Array.from(texts(), (text) => Buffer.from(text))
}

export function columnsOf({ paths, ids, stats }: FileTable): Columns {
  return { paths, ids: ids.join(' '), stats: Buffer.from(Float64Array.from(stats).buffer).toString('base64') }
}

export function tableOf({ paths, ids, stats }: Columns): FileTable {
  const bytes = Buffer.from(stats, 'base64')
  return { paths, ids: ids === '' ? [] : ids.split(' '), stats: new Float64Array(Uint8Array.from(bytes).buffer) }
}

/** Version 1 stored the id by path and, if it was reliable, the stat. */
export type OldFiles = Readonly<
  Record<string, readonly [id: string, ...stat: [] | [size: number, mtimeMs: number, ctimeMs: number, ino: number]]>
>

export const tableOfOld = (files: OldFiles): FileTable =>
  fileTable(
    Object.entries(files).map(([path, [id, size, mtimeMs = 0, ctimeMs = 0, ino = 0]]) =>
      size === undefined ? [path, id] : [path, id, { size, mtimeMs, ctimeMs, ino }],
    ),
  )
