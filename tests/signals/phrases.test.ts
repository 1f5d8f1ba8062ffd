import { describe, expect, it } from 'vitest'
import { findPhrases, PHRASES } from '../../src/core/signals/phrases.ts'
import { sentencesOf } from '../../src/core/signals/sentences.ts'

/** A sentence, a group, and the phrases of that group that it contains. */
type Row = readonly [line: string, group: string, ...names: string[]]

const rows: readonly Row[] = [
  // Counted by cub.
  ['All tasks are completed.', 'cub', 'all-tasks-completed'],
  ['all tasks completed', 'cub', 'all-tasks-completed'],
  ['All tasks are complete', 'cub', 'all-tasks-completed'],
  ['**All tasks** are now **completed**!', 'cub', 'all-tasks-completed'],
  ['ALL TASKS COMPLETED. READY FOR REVIEW', 'cub', 'all-tasks-completed', 'ready-for-review'],
  ['The implementation is finished.', 'cub', 'implementation-finished'],
  ['The implementation of the parser is finally finished', 'cub', 'implementation-finished'],
  ['It is ready for review', 'cub', 'ready-for-review'],
  ['There is no remaining work.', 'cub', 'no-remaining-work'],
  ['All acceptance criteria have been met.', 'cub', 'criteria-met'],
  ['<promise>COMPLETE</promise>', 'cub', 'promise'],
  ['<promise> complete </promise>', 'cub', 'promise'],
  ['Shipped. <promise>COMPLETE</promise>', 'cub', 'promise'],
  ['The tag <promise>COMPLETE</promise> comes later', 'cub'],
  ['<promise>PARTIAL</promise>', 'cub'],
  ['Not all tasks are completed and it is not ready for review', 'cub'],
  ['All tasks are not completed', 'cub'],
  ['All tasks are incomplete', 'cub'],
  ['Not yet: all tasks are completed except the docs', 'cub'],
  ['All tasks are completed except for the docs.', 'cub'],
  ['All tasks completed but one', 'cub'],
  ['Once all tasks are completed I will stop', 'cub'],
  ['When all tasks are completed, the loop ends', 'cub'],
  ['I keep going until all tasks are completed', 'cub'],
  ['If all tasks are completed, say so', 'cub'],
  ['Are all tasks completed?', 'cub'],
  ['All tasks will be completed tomorrow', 'cub'],
  ['All tasks should be completed by then', 'cub'],
  ['All tasks have yet to be completed', 'cub'],
  ['I cannot say that all tasks are completed', 'cub'],
  ['Make sure all tasks are completed', 'cub'],
  ['Let me verify that all tasks are completed', 'cub'],
  ['Print "all tasks completed, ready for review" at the end', 'cub'],
  ['Print `all tasks completed` at the end', 'cub'],
  ['The implementation is not yet finished', 'cub'],
  ["The implementation isn't finished", 'cub'],
  ['The implementation is almost finished', 'cub'],
  ['The implementation is 80% finished', 'cub'],
  ['The implementation is 100% finished', 'cub', 'implementation-finished'],
  ['This will be ready for review soon', 'cub'],
  ['It is not ready for review', 'cub'],
  ['Nothing is ready for review', 'cub'],
  ['Is it ready for review?', 'cub'],
  ['If there is no remaining work, stop', 'cub'],
  ['All acceptance criteria must be met', 'cub'],
  ['None of it works: not all acceptance criteria are met', 'cub'],
  ['I did not touch the docs, all tasks are completed', 'cub', 'all-tasks-completed'],
  ['I did not touch the docs but all tasks are completed', 'cub', 'all-tasks-completed'],
  ['No blockers remain: all tasks are completed', 'cub', 'all-tasks-completed'],
  ['No further changes were needed because all tasks are completed', 'cub', 'all-tasks-completed'],
  ['No doubt all tasks are completed', 'cub', 'all-tasks-completed'],
  ['Blockers: no - all tasks are completed', 'cub', 'all-tasks-completed'],
  ['Not only are all tasks completed, it is ready for review', 'cub', 'all-tasks-completed', 'ready-for-review'],
  [
    'There is no remaining work and the implementation is finished',
    'cub',
    'implementation-finished',
    'no-remaining-work',
  ],
  ['When I ran the suite, all tasks were completed', 'cub', 'all-tasks-completed'],
  ['The tasks are many. Completed ones are listed.', 'cub'],
  ['EXIT_STATUS: COMPLETE', 'cub'],
  // Counted by doyaken.
  ['All tasks complete and implementation finished', 'doyaken', 'all-complete', 'implementation-finished'],
  ['Task 1 done.', 'doyaken', 'task-done'],
  ['The task is done', 'doyaken', 'task-done'],
  ['tests passing', 'doyaken', 'tests-passing'],
  ['All 12 tests passed', 'doyaken', 'tests-passing'],
  ['It was successfully completed', 'doyaken', 'successfully-completed'],
  ['Successfully completed the migration', 'doyaken', 'successfully-completed'],
  ['this task is not done', 'doyaken'],
  ['all items are incomplete', 'doyaken'],
  ['tests must pass', 'doyaken'],
  ['tests are not passing', 'doyaken'],
  ['No tests passed', 'doyaken'],
  ['0 tests passed', 'doyaken'],
  ['Tests: 3 failed, 25 passed', 'doyaken'],
  ['Tests: 0 failed, 25 passed', 'doyaken', 'tests-passing'],
  ['Tests passed, 2 failed', 'doyaken'],
  ['3 of 5 tasks done', 'doyaken'],
  ['5 of 5 tasks done', 'doyaken', 'task-done'],
  ['Done', 'doyaken'],
  ['The installation is complete', 'doyaken'],
  ['It was not successfully completed', 'doyaken'],
  ['Far from all is complete', 'doyaken'],
  // Counted by Ralph.
  ['The export is done.', 'ralph-done', 'done'],
  ['Everything is finished and ready for review', 'ralph-done', 'finished', 'ready-for-review'],
  ['Project complete', 'ralph-done', 'complete', 'project-complete'],
  ['The project is complete', 'ralph-done', 'complete', 'project-complete'],
  ['All tasks are complete', 'ralph-done', 'complete', 'all-tasks-complete'],
  ["It isn't done", 'ralph-done'],
  ['It isn’t done', 'ralph-done'],
  ['not yet complete', 'ralph-done'],
  ['This was never finished', 'ralph-done'],
  ['It cannot be completed', 'ralph-done'],
  ['It is yet to be completed', 'ralph-done'],
  ['We are far from done', 'ralph-done'],
  ['unfinished and incomplete', 'ralph-done'],
  ['What remains to be done is the export', 'ralph-done'],
  ['This can be done next', 'ralph-done'],
  ['It is half done', 'ralph-done'],
  ['Nothing is done', 'ralph-done'],
  ['Once done, I will report', 'ralph-done'],
  ['Done?', 'ralph-done'],
  ['Is it done for all of them?', 'ralph-done'],
  ['The docs are not done, the parser is done', 'ralph-done', 'done'],
  ['I failed to get it done', 'ralph-done'],
  ['TASKS_COMPLETED_THIS_LOOP: 3', 'ralph-done'],
  ['Here is the complete implementation', 'ralph-done'],
  ['a lesson-complete tag', 'ralph-done'],
  ['done[node] = True', 'ralph-done'],
  ['- [ ] the report is done', 'ralph-done'],
  ['- [x] the report is done', 'ralph-done', 'done'],
  ['Next I mark the story as complete', 'ralph-done'],
  ['The story has been marked as complete', 'ralph-done', 'complete'],
  ['The project is 95% complete', 'ralph-done'],
  ['### What needs to be done', 'ralph-done'],
  ['This has nothing to do with the parser', 'ralph-idle'],
  ['I have successfully implemented a complete service', 'doyaken'],
  ['PHASE_COMPLETE: true', 'ralph-done'],
  ['There is nothing to do', 'ralph-idle', 'nothing-to-do'],
  ['no changes were needed', 'ralph-idle', 'no-changes'],
  ['It is already implemented', 'ralph-idle', 'already-implemented'],
  ['Everything is up to date', 'ralph-idle', 'up-to-date'],
  ['The docs are not up to date', 'ralph-idle'],
  ['If there is nothing to do, say so', 'ralph-idle'],
  ['Could you please grant write access to the folder?', 'asks', 'leave'],
  ['I need you to approve the command', 'asks', 'leave'],
  ['I am waiting for permission to edit the file', 'asks', 'permission'],
  ['I still need your approval to run the tests', 'asks', 'permission', 'approval'],
  ['The build command requires your approval', 'asks', 'approval'],
  ['I do not need permission for this', 'asks'],
  ['The endpoint requires the admin permission', 'asks'],
  ['Users need approval before they can publish', 'asks'],
  ['I added the approval step and the permission table', 'asks'],
  ['Please allow a minute for the cache to fill', 'asks'],
  ['Should I take the queue or the cron job?', 'ralph-question', 'should-i'],
  ['Soll ich die Warteschlange nehmen?', 'ralph-question', 'asks-de'],
  ['Bitte bestätige den Plan.', 'ralph-question', 'asks-de'],
  ['¿Quieres que continúe con la migración?', 'ralph-question', 'asks-es'],
  ['Por favor, confirma el plan.', 'ralph-question', 'asks-es'],
  ['Voulez-vous que je continue ?', 'ralph-question', 'asks-fr'],
  ['Você quer que eu continue?', 'ralph-question', 'asks-pt'],
  ['Vuoi che continui?', 'ralph-question', 'asks-it'],
  ['Хотите, чтобы я продолжил?', 'ralph-question', 'asks-ru'],
  ['您希望我继续吗？', 'ralph-question', 'asks-zh'],
  ['请确认这个方案。', 'ralph-question', 'asks-zh'],
  ['続けてもよろしいですか？', 'ralph-question', 'asks-ja'],
  ['계속할까요?', 'ralph-question', 'asks-ko'],
  ['El servidor puede responder con un error.', 'ralph-question'],
  ['Die Tests sollen schneller werden.', 'ralph-question'],
  ['所有测试都通过了。', 'ralph-question'],
  ['すべてのテストが通りました。', 'ralph-question'],
  ['Necesito tu permiso para escribir en la carpeta.', 'asks', 'other-languages'],
  ['Ich brauche deine Erlaubnis, um npm zu starten.', 'asks', 'other-languages'],
  ['需要您的授权才能继续。', 'asks', 'other-languages'],
  ['El permiso del archivo es 0644.', 'asks'],
  ['Which option do you prefer?', 'ralph-question', 'do-you', 'which-option'],
  [
    'Should I use A? Do you want B? Which option do you prefer?',
    'ralph-question',
    'should-i',
    'do-you',
    'which-option',
  ],
  ['Please confirm the plan before I touch the schema.', 'ralph-question', 'please-confirm'],
  ['Awaiting your input on the naming.', 'ralph-question', 'awaiting-input'],
  ['I am waiting for your approval', 'ralph-question', 'awaiting-input'],
  ['Would you like me to go on?', 'ralph-question', 'would-you'],
  ['How should the cache be keyed?', 'ralph-question', 'how-should'],
  ['Is it ok to drop the table?', 'ralph-question', 'is-it-ok'],
  ['Let me know which one you want', 'ralph-question', 'which-option', 'let-me-know'],
  ['I should take the careful way.', 'ralph-question'],
  ['Implementing the importer. Tests passed. All done.', 'ralph-question'],
  ['Running tests with npm test', 'ralph-test', 'running-tests', 'npm-test'],
  ['bats, pytest and jest', 'ralph-test', 'bats', 'pytest', 'jest'],
  ['acrobats jested', 'ralph-test'],
  ['Implementing, creating, writing and adding', 'ralph-work', 'implementing', 'creating', 'writing', 'adding'],
  ['a function of the class', 'ralph-work', 'function', 'class'],
  ['classic malfunction', 'ralph-work'],
  // Confidence.
  ['I am confident that it is right', 'sure', 'confident'],
  ['I am sure', 'sure', 'sure'],
  [
    'It certainly, absolutely, undoubtedly works; I ensured it',
    'sure',
    'certainly',
    'absolutely',
    'undoubtedly',
    'ensured',
  ],
  ['I am not sure', 'sure'],
  ['I am not entirely sure', 'sure'],
  ["I'm not confident", 'sure'],
  ['Make sure that it builds', 'sure'],
  ['We measure and ensure pressure', 'sure'],
  ['It is probably fine and likely right', 'likely', 'likely', 'probably'],
  ['It is not likely', 'likely'],
  ["I'm not sure", 'unsure', 'not-sure'],
  ['I am not 100% sure', 'unsure', 'not-sure'],
  ["I don't feel very confident", 'unsure', 'not-confident'],
  ['I am not certain', 'unsure', 'not-certain'],
  ['unsure and uncertain', 'unsure', 'unsure', 'uncertain'],
  ['I am sure it is not there', 'unsure'],
  [
    'maybe might could approximately roughly basically',
    'hedge',
    'maybe',
    'might',
    'could',
    'approximately',
    'roughly',
    'basically',
  ],
  ['I think it might hold', 'hedge', 'might', 'i-think'],
  ['It could not open the file', 'hedge'],
  ['mighty', 'hedge'],
  ['This is definitely guaranteed', 'certain', 'definitely', 'guaranteed'],
  ['certainly absolutely undoubtedly assured', 'certain', 'certainly', 'absolutely', 'undoubtedly', 'assured'],
  ['It is not guaranteed', 'certain'],
  // Trouble.
  ['An error and two exceptions', 'error', 'error', 'exception'],
  ['The build failed because of a bug', 'error', 'failed', 'bug'],
  ['issues, problems and mistakes', 'error', 'issue', 'problem', 'mistake'],
  ['error error error', 'error', 'error'],
  ['no errors', 'error'],
  ['There are no type errors or lint issues', 'error'],
  ['5 passed, 0 failed', 'error'],
  ['errors: 0', 'error'],
  ['It runs without problems', 'error'],
  ['zero bugs', 'error'],
  ['It never failed', 'error'],
  ["It doesn't have bugs", 'error'],
  ['an error-free run', 'error'],
  ['No tests ran because of an error', 'error', 'error'],
  ['fixed the bug', 'error', 'bug'],
  ['There were no errors, but one test failed', 'error', 'failed'],
  ['debugging terrors tissue', 'error'],
]

const x = (count: number) => 'x'.repeat(count)

describe('sentences', () => {
  it.each<[string, string, string[]]>([
    ['four of them', ' One.  Two! Three? Four; five ', ['One.', 'Two!', 'Three?', 'Four;', 'five']],
    ['a full stop at the end', 'One. Two.', ['One.', 'Two.']],
    ['a full stop in a word', 'Version 1.2 is out', ['Version 1.2 is out']],
    [
      'an abbreviation',
      'Some tests, e.g. no. 5 pass. The others too',
      ['Some tests, e.g. no. 5 pass.', 'The others too'],
    ],
    ['a question that ends like one', 'Is it no? It is.', ['Is it no?', 'It is.']],
    ['an abbreviation earlier in the sentence', 'It is no. 5 here. It is.', ['It is no. 5 here.', 'It is.']],
    ['more than 600 characters', `One. ${x(1_300)}`, ['One.', x(600), x(601), x(99)]],
    ['nothing', '', []],
    ['code and quotes', 'I print `all done` or "all done" as `done`.', ['I print  …  or  …  as done.']],
    ['words between code', 'The `parser` is done, the `lexer` too', ['The parser is done, the lexer too']],
    ['fields', 'I say EXIT_STATUS: COMPLETE now', ['I say  …  now']],
  ])('%s', (_name, line, sentences) => {
    expect(sentencesOf(line)).toEqual(sentences)
  })
})

const inGroup = (line: string, group: string) =>
  findPhrases([line])
    .filter((name) => name.startsWith(`${group}:`))
    .map((name) => name.slice(group.length + 1))

describe('phrases', () => {
  it.each(rows)('%s [%s]', (line, group, ...names) => {
    expect(inGroup(line, group)).toEqual(names)
  })

  it('has enough rows', () => expect(rows.length).toBeGreaterThanOrEqual(120))

  it('every phrase occurs in a row', () => {
    const seen = new Set(rows.flatMap(([, group, ...names]) => names.map((name) => `${group}:${name}`)))
    expect(PHRASES.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([])
  })

  it('names are unique and start with their group', () => {
    expect(new Set(PHRASES.map(({ name }) => name)).size).toBe(PHRASES.length)
    for (const { name, group } of PHRASES) expect(name.startsWith(`${group}:`)).toBe(true)
  })

  // Large files are searched for literals first, so a phrase without its literal would be missed.
  it.each(PHRASES.map((phrase) => [phrase.name, phrase] as const))(
    '%s: every line it matches contains one of its literals',
    (_name, phrase) => {
      expect(phrase.literals.length).toBeGreaterThan(0)
      for (const literal of phrase.literals) expect(literal).toBe(literal.toLowerCase())
      const plain = rows.map(([line]) => line.replace(/[*`]/g, '')).filter((line) => line.search(phrase.pattern) >= 0)
      for (const line of plain)
        expect(
          phrase.literals.some((literal) => line.toLowerCase().includes(literal)),
          line,
        ).toBe(true)
    },
  )

  // With quadratic time, these take minutes.
  it.each(['`', '"', '“', '“word ', '`word '])('reads a long line of %j in linear time', (mark) => {
    expect(findPhrases([`It is done. ${mark.repeat(250_000 / mark.length)}`])).toEqual(['ralph-done:done'])
  })

  it('searches each line separately', () => {
    expect(findPhrases(['all', 'complete'])).toEqual(['ralph-done:complete'])
  })

  it('returns each name once, in table order', () => {
    expect(findPhrases(['done and finished', 'done', 'It is ready for review'])).toEqual([
      'cub:ready-for-review',
      'ralph-done:done',
      'ralph-done:finished',
      'ralph-done:ready-for-review',
    ])
  })
})
