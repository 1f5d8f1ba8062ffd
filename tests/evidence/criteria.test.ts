import { describe, expect, it } from 'vitest'
import { criteriaIn } from '../../src/evidence/checks/criteria.ts'

describe('acceptance criteria in a text', () => {
  it.each<[about: string, text: string, criteria: number]>([
    ['boxes anywhere', '# A\n\n- [ ] one\n- [x] two\n', 2],
    [
      'items below the heading',
      '# A\n\n- no\n\n## Acceptance criteria\n\n- one\n- two\n1. three\n\n## Notes\n\n- no\n',
      3,
    ],
    ['its subheadings belong to it', '## Success Criteria\n\n### Adding\n\n- one\n\n### Zero\n\n- two\n', 2],
    ['boxes before plain items', '## Acceptance Criteria\n\n- [ ] one\n  - as in the sketch\n- [ ] two\n', 2],
    ['boxes elsewhere do not count then', '- [ ] a chore\n\n## Acceptance criteria\n\n- one\n', 1],
    ['a bold line instead of a heading', 'Do it.\n\n**Acceptance Criteria:**\n\n- one\n- two\n\n# Next\n\n- no\n', 2],
    ['code is no list', '## Acceptance criteria\n\n```\n- [ ] one\n```\n', 0],
    ['a sentence about them is none', 'Meet the acceptance criteria of the ticket.\n\n- a remark\n', 0],
    ['none', 'Make the tests pass.\n', 0],
    ['nothing', '', 0],
  ])('%s', (_about, text, criteria) => {
    expect(criteriaIn(text)).toBe(criteria)
  })
})
