/** The world as a command sees it; tests hand in another one. */
export interface Io {
  readonly stdout: {
    write(text: string): unknown
    readonly isTTY?: boolean | undefined
    readonly columns?: number | undefined
  }
  readonly stderr: {
    write(text: string): unknown
    readonly isTTY?: boolean | undefined
    readonly columns?: number | undefined
  }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: string
  /** The process behind it; absent where there is none to be asked about. */
  readonly pid?: number
  now(): number
}
