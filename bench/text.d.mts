type Api = typeof import('../src/library/core.ts') & typeof import('../src/library/node.ts')
type Interval = readonly [number, number]

export interface TextFigures {
  readonly corpus?: 'absent'
  readonly endings?: number
  readonly tasks?: number
  readonly conclusion?: string
  readonly measures?: readonly {
    readonly title: string
    readonly auc?: number
    readonly within?: number
    readonly interval?: Interval
  }[]
  readonly reliability?: readonly { readonly title: string; readonly brier: number; readonly ece: number }[]
  readonly believed?: readonly {
    readonly title: string
    readonly believed: number
    readonly false?: number
    readonly missed?: number
  }[]
}

export function run(options: {
  readonly corpus: string | undefined
  readonly print: (line?: string) => void
  readonly api?: Api
}): Promise<TextFigures>
