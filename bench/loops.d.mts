type Api = typeof import('../src/library/core.ts') & typeof import('../src/library/node.ts')

export interface Summary {
  readonly lost: number
  readonly caught: number
  readonly wasted: number
  readonly early: number
  readonly good: number
  readonly falseStops: number
}
export interface LoopFigures {
  readonly corpus?: 'absent'
  readonly rows?: number
  readonly labels?: readonly {
    readonly label: string
    readonly stopped: number
    readonly wasted: number | null
    readonly falseStops: number | null
    readonly rules: Readonly<Record<string, number>>
  }[]
  readonly thresholds?: readonly (Summary & { readonly title: string })[]
  readonly presets?: readonly (Summary & { readonly title: string })[]
}

export function run(options: {
  readonly corpus: string | undefined
  readonly print: (line?: string) => void
  readonly api?: Api
}): Promise<Readonly<Record<string, LoopFigures>>>
