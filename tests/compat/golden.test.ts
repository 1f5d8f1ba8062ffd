import { describe, expect, it } from 'vitest'
import { compatPaths } from '../../src/compat/index.ts'
import { expectGolden, goldenCases, goldenText } from '../evidence/golden-files.ts'
import { type Case, play } from './play.ts'

describe('the files of the older systems', () => {
  it.each(goldenCases('compat', '.json'))('%s', (name) => {
    const { files, inputs } = play(JSON.parse(goldenText(`compat/${name}.json`)) as Case)
    const shown = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => `=== ${path}\n${text}`)
    expectGolden(`compat/${name}.txt`, shown.join('\n') || '(no files)\n')
    const own = compatPaths(inputs[0]!.config)
    const known = (path: string) => own.some((each) => path === each || (each.endsWith('/') && path.startsWith(each)))
    expect([...files.keys()].filter((path) => !known(path))).toEqual([])
  })
})
