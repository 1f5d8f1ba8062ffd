import type { Io } from '../io.ts'

/** A stream that may be a terminal. Whoever runs the program in another way hands in what it has. */
export type Output = Io['stdout'] & { readonly rows?: number | undefined }

/** The keyboard: what of `process.stdin` is used here. */
export interface Keyboard {
  readonly isTTY?: boolean | undefined
  readonly isRaw?: boolean | undefined
  setRawMode?(raw: boolean): unknown
  on(event: 'data' | 'end' | 'close' | 'error', listener: (chunk: Uint8Array) => void): unknown
  off(event: 'data' | 'end' | 'close' | 'error', listener: (chunk: Uint8Array) => void): unknown
  resume(): unknown
  pause(): unknown
}

export type TerminalIo = Io & { readonly stdin?: Keyboard }

/** Its size now. A terminal that does not know it is taken for a small one. */
export function sizeOf(stream: Output): { readonly columns: number; readonly rows: number } {
  return { columns: stream.columns || 80, rows: stream.rows || (stream.isTTY ? process.stdout.rows : 0) || 24 }
}

/** Whether it shows more than ASCII: the first of the three that is set decides, as everywhere. */
export function showsUnicode({ env, platform }: Pick<Io, 'env' | 'platform'>): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  if (locale) return /utf-?8/i.test(locale)
  return platform === 'darwin' || env.WT_SESSION !== undefined
}
