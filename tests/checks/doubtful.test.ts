import { expect, it } from 'vitest'
import { doubtfulFirst } from '../../packages/exitgate/src/checks/doubtful.ts'
import type { RefutedTest } from '../../packages/exitgate/src/checks/originals.ts'
import type { JudgedTest } from '../../packages/exitgate/src/checks/without.ts'

const product = [{ path: 'a.js', wasThere: true, before: 'return 1\n', after: "return 2\nreturn 'two'\n" }]
const changed = (name: string, ...entered: readonly string[]): RefutedTest => ({
  ...{ name: `group > ${name}`, file: 'a.test.js', is: 'changed' },
  successor: { is: 'changed', entered },
})
const lost: RefutedTest = { name: 'gone', is: 'lost' }
const judged = (name: string, judgement: JudgedTest['judgement']): JudgedTest => ({
  ...{ judgement, why: '' },
  test: { file: 'a.test.js', groups: ['group'], name, kind: 'changed' },
})

it.each<[string, readonly RefutedTest[], readonly JudgedTest[], readonly string[]]>([
  [
    'a value that the change contains comes last',
    [changed('known', '2'), changed('foreign', '9')],
    [],
    ['foreign', 'known'],
  ],
  ['in quotes too', [changed('known', "'two'"), changed('foreign', "'three'")], [], ['foreign', 'known']],
  [
    'what passes on the original code comes first',
    [changed('foreign', '9'), changed('needless', '2'), changed('proof', '2')],
    [judged('needless', 'vacuous'), judged('proof', 'proves')],
    ['needless', 'foreign', 'proof'],
  ],
  ['others keep their place', [changed('known', '2'), lost, changed('foreign', '9')], [], ['foreign', 'gone', 'known']],
])('%s', (_name, refuted, without, order) => {
  const found = doubtfulFirst(refuted, without, product)
  expect(found.map(({ name }) => name.replace('group > ', ''))).toEqual(order)
})
