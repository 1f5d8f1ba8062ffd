import { describe, expect, it } from 'vitest'
import { readChecklist, readStories } from '../../src/evidence/checks/checklist.ts'
import { compareChecklists } from '../../src/evidence/checks/compare-checklists.ts'

type Counted = [total: number, done: number, open: number]
const counted = ({ total, done, open }: { total: number; done: number; open: number }): Counted => [total, done, open]

const usual = ['Optional', 'Future Enhancements']

/** Plans from the test suite of the older tool, by their names there. */
const plans: [name: string, plan: string, optionalSections: readonly string[], expected: Counted][] = [
  ['A-8 all three ticked', '- [x] a\n- [x] b\n- [x] c\n', usual, [3, 3, 0]],
  ['A-9 one of three ticked', '- [x] a\n- [ ] b\n- [ ] c\n', usual, [3, 1, 2]],
  ['A-10 open items under Optional', '## Now\n- [x] a\n\n## Optional\n- [ ] b\n- [ ] c\n', usual, [1, 1, 0]],
  ['A-11 under Future Enhancements', '# Plan\n- [x] a\n## Future Enhancements\n- [ ] b\n', usual, [1, 1, 0]],
  ['A-12 Low Priority is required', '## Low Priority\n- [ ] a\n## Optional\n- [ ] b\n', usual, [1, 0, 1]],
  ['A-13 OPTIONAL in capitals', '- [x] a\n## OPTIONAL\n- [ ] b\n', usual, [1, 1, 0]],
  ['A-14 a sub-section inherits', '- [x] a\n## Optional\n### Ideas\n- [ ] b\n', usual, [1, 1, 0]],
  ['A-15 it ends at a heading of its level', '- [x] a\n## Optional\n- [ ] b\n## Must\n- [ ] c\n', usual, [2, 1, 1]],
  ['A-16 configured as Backlog', '- [x] a\n## Backlog\n- [ ] b\n', ['Backlog'], [1, 1, 0]],
  ['A-17 configured as Backlog, Optional counts', '- [x] a\n## Optional\n- [ ] b\n', ['Backlog'], [2, 1, 1]],
  ['A-18 no sections', '- [x] a\n- [ ] b\n', usual, [2, 1, 1]],
  ['A-23 prose only', 'We will see.\n', usual, [0, 0, 0]],
  ['A-24 an empty bracket is no item', '- [x] a\n- [ ] b\n- [X] c\n- [] d\n', usual, [3, 2, 1]],
  ['A-45 dates are no boxes', '- [2026-01-29] a\n- [2026-01-30] b\n- [ ] c\n- [ ] d\n', usual, [2, 0, 2]],
  ['A-46 a date, one ticked, one open', '- [2026-01-29] a\n- [x] b\n- [ ] c\n', usual, [2, 1, 1]],
  ['A-47 words in brackets', '- [NOTE] a\n- [TODO] b\n- [FIXME] c\n- [WIP] d\n- [ ] e\n', usual, [1, 0, 1]],
  ['A-48 small and capital x', '- [x] a\n- [X] b\n', usual, [2, 2, 0]],
  ['A-49 indented dates', '  - [2026-01-29] a\n  - [2026-01-30] b\n- [x] c\n', usual, [1, 1, 0]],
  ['A-50 two blanks are no box', '- [ ] a\n- [  ] b\n- [x] c\n', usual, [2, 1, 1]],
  ['A-51 versions', '- [v1.0] a\n- [v2.0] b\n- [x] c\n', usual, [1, 1, 0]],
  ['A-52 numbers of issues', '- [#141] a\n- [PR#155] b\n- [ ] c\n- [ ] d\n', usual, [2, 0, 2]],
  ['a heading ends at a higher one too', '### Optional\n- [ ] a\n# Next\n- [ ] b\n', usual, [1, 0, 1]],
  ['a bold heading with a colon', '## **Optional:**\n- [ ] a\n- [x] b\n', usual, [0, 0, 0]],
  ['an underlined heading', 'Optional\n--------\n- [ ] a\n\nMust\n----\n- [x] b\n', usual, [1, 1, 0]],
  ['a heading in code', '```\n## Optional\n```\n- [ ] a\n', usual, [1, 0, 1]],
  ['a heading in a quote', '> ## Optional\n\n- [ ] a\n', usual, [1, 0, 1]],
  ['only part of the name', '## Optional extras\n- [ ] a\n', usual, [1, 0, 1]],
  ['no optional sections by default', '## Optional\n- [ ] a\n', [], [1, 0, 1]],
  ['nothing', '', usual, [0, 0, 0]],
]

describe('a plan', () => {
  it.each(plans)('%s', (_name, plan, optionalSections, expected) => {
    expect(counted(readChecklist(plan, { optionalSections }))).toEqual(expected)
  })

  it('returns text, line and section of every item', () => {
    const plan = '# Plan\n\n- [x] Read\n  the input\n\n## Optional\n\n### Later\n1. [ ] **Write**\n'
    expect(readChecklist(plan, { optionalSections: ['optional'] }).items).toEqual([
      { text: 'Read the input', done: true, line: 3, section: 'Plan', optional: false },
      { text: '**Write**', done: false, line: 9, section: 'Later', optional: true },
    ])
  })
})

const roadmaps: [name: string, roadmap: string, expected: Counted][] = [
  ['one open', '# R\n\n- [x] 01-01-PLAN.md -- a\n- [ ] 01-02-PLAN.md -- b\n', [2, 1, 1]],
  ['all ticked', '# R\n\n- [x] 01-01-PLAN.md -- a\n- [x] 01-02-PLAN.md -- b\n', [2, 2, 0]],
  ['indented', '  - [ ] 01-02-PLAN.md\n', [1, 0, 1]],
  ['items that name no plan', '- [ ] write docs\n- [ ] 1-2-PLAN.md\n', [0, 0, 0]],
  ['three digits', '- [ ] 101-02-PLAN.md\n- [ ] 01-021-PLAN.md\n', [0, 0, 0]],
  ['an empty roadmap', '# nothing\n', [0, 0, 0]],
  ['bold', '- [ ] **01-02-PLAN.md**\n', [1, 0, 1]],
  ['linked', '- [ ] [01-02-PLAN.md](phases/01/01-02-PLAN.md) - parse\n', [1, 0, 1]],
  ['code', '- [x] `01-02-PLAN.md`\n', [1, 1, 0]],
  ['phases are not plans', '- [ ] **Phase 1: Parser**\n  - [x] 01-01-PLAN.md\n', [1, 1, 0]],
]

describe('a roadmap', () => {
  it.each(roadmaps)('%s', (_name, roadmap, expected) => {
    expect(counted(readChecklist(roadmap, { plansOnly: true }))).toEqual(expected)
  })
})

const stories: [name: string, json: unknown, expected: Counted | undefined][] = [
  [
    'passes',
    {
      userStories: [
        { id: 'US-1', passes: true },
        { id: 'US-2', passes: false },
      ],
    },
    [2, 1, 1],
  ],
  [
    'status',
    {
      stories: [
        { title: 'a', status: 'done' },
        { title: 'b', status: 'in progress' },
      ],
    },
    [2, 1, 1],
  ],
  ['status in capitals', { stories: [{ status: 'DONE' }, { status: 'Completed' }] }, [2, 2, 0]],
  ['neither', { userStories: [{ id: 'US-1' }] }, [1, 0, 1]],
  ['passes as a word', { userStories: [{ passes: 'true' }] }, [1, 0, 1]],
  ['a bare list', [{ title: 'a', done: true }], [1, 1, 0]],
  ['optional', { stories: [{ passes: true }, { passes: false, optional: true }] }, [1, 1, 0]],
  ['an empty list', { userStories: [] }, [0, 0, 0]],
  ['something else', { name: 'x' }, undefined],
  ['no object', 'x', undefined],
  ['null', null, undefined],
]

describe('stories', () => {
  it.each(stories)('%s', (_name, json, expected) => {
    const read = readStories(json)
    expect(read && counted(read)).toEqual(expected)
  })

  it('are named by id and title', () => {
    const read = readStories({ userStories: [{ id: 'US-1', title: 'Log in' }, { description: 'Log  out' }, {}] })
    expect(read?.items.map((item) => item.text)).toEqual(['US-1: Log in', 'Log out', 'story 3'])
  })
})

describe('an edited plan', () => {
  const before = '- [ ] add the parser\n- [ ] write the docs\n- [x] set up\n'
  const rows: [name: string, after: string, expected: Counted, problems: readonly string[]][] = [
    ['ticked', '- [x] add the parser\n- [x] write the docs\n- [x] set up\n', [3, 3, 0], []],
    ['one deleted', '- [x] add the parser\n- [x] set up\n', [3, 2, 1], ['"write the docs" was removed']],
    [
      'the box taken away',
      '- [x] add the parser\n- write the docs\n- [x] set up\n',
      [3, 2, 1],
      ['"write the docs" was removed'],
    ],
    ['all deleted', '# done\n', [2, 0, 2], ['"add the parser" was removed', '"write the docs" was removed']],
    ['a done item put away', '- [x] add the parser\n- [x] write the docs\n', [2, 2, 0], []],
    [
      'reworded and ticked',
      '- [x] add the parser\n- [x] skip the docs\n- [x] set up\n',
      [3, 2, 1],
      ['reworded to "skip the docs"'],
    ],
    ['reworded, still open', '- [x] add the parser\n- [ ] write the new docs\n- [x] set up\n', [3, 2, 1], ['reworded']],
    ['a remark added', '- [x] add the parser (parser.ts)\n- [x] write the docs\n- [x] set up\n', [3, 3, 0], []],
    ['other markup', '* [x] **Add the parser**\n* [x] Write the docs.\n', [2, 2, 0], []],
    ['other order', '- [x] write the docs\n- [x] set up\n- [x] add the parser\n', [3, 3, 0], []],
    [
      'made optional',
      '- [x] add the parser\n- [x] set up\n## Optional\n- [ ] write the docs\n',
      [3, 2, 1],
      ['moved to the optional section'],
    ],
    ['one more', '- [x] add the parser\n- [x] write the docs\n- [ ] publish\n', [3, 2, 1], []],
  ]
  it.each(rows)('%s', (_name, after, expected, problems) => {
    const options = { optionalSections: ['Optional'] }
    const changes = compareChecklists(readChecklist(before, options), readChecklist(after, options))
    expect(counted(changes)).toEqual(expected)
    expect(changes.problems).toHaveLength(problems.length)
    for (const [index, problem] of problems.entries()) expect(changes.problems[index]).toContain(problem)
  })

  it('lists ticked, unticked and added items', () => {
    const after = readChecklist('- [x] add the parser\n- [ ] write the docs\n- [ ] set up\n- [ ] publish\n')
    const changes = compareChecklists(readChecklist(before), after)
    const texts = (items: readonly { text: string }[]) => items.map((item) => item.text)
    expect(texts(changes.ticked)).toEqual(['add the parser'])
    expect(texts(changes.unticked)).toEqual(['set up'])
    expect(texts(changes.added)).toEqual(['publish'])
  })

  it('counts equal items separately', () => {
    const changes = compareChecklists(readChecklist('- [ ] test\n- [ ] test\n'), readChecklist('- [x] test\n'))
    expect(counted(changes)).toEqual([2, 1, 1])
  })
})
