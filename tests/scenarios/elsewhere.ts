/** Cases of the older tools that another test covers: a file, and text in it. */
export const elsewhere: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'prp-37': ['tests/compat/rows.test.ts', 'tests_passing: 6, tests_total: 10, consecutive_green_runs: 0'],
  'prp-38': ['tests/compat/rows.test.ts', 'tests_passing: 10, tests_total: 10, consecutive_green_runs: 2'],
  'prp-39': ['tests/compat/rows.test.ts', "['REFACTOR', { iteration: 7 }, 100]"],
  'prp-46': ['tests/compat/rows.test.ts', 'PRP mismatch: session=a.md, requested=b.md'],
  'prp-47': ['tests/compat/rows.test.ts', 'Session already completed'],
  'prp-48': ['tests/compat/rows.test.ts', "['in QA', "],
  'prp-49': ['tests/compat/rows.test.ts', 'Missing required field: status'],
  'prp-50': ['tests/compat/rows.test.ts', "[['RED'], 'GREEN', 5, 32]"],
  'prp-51': ['tests/compat/rows.test.ts', "[['RED', 'GREEN', 'REFACTOR', 'DOCUMENT', 'QA'], 'QA', 3, 100]"],
  'gsd-33': ['tests/compat/rows.test.ts', "['a/b', 'a/b', 'a/b']"],
  'gsd-43': ['tests/compat/rows.test.ts', '=== Ralph Stuck: Same task failed 3 times ==='],
  'gsd-44': ['tests/compat/rows.test.ts', '=== Ralph Exited: INTERRUPTED ==='],
  // As in its code. Its documentation writes the last task after the reason instead of the iterations and the time.
  'gsd-45': ['tests/golden/compat/gsd-stuck-with-odd-text.txt', 'Exit: STUCK - Same task failed 3 times (3 iterations'],
  'ralph-A21': ['tests/journal/damage.test.ts', 'is always detected'],
  'ralph-A53': ['tests/evidence/git.test.ts', "['a commit', "],
  'ralph-A54': ['tests/evidence/git.test.ts', "['nothing', "],
  'ralph-A55': ['tests/evidence/git.test.ts', "['a modified file', "],
  'ralph-A56': ['tests/evidence/git.test.ts', 'lists and counts the files'],
  'ralph-A57': ['tests/evidence/git.test.ts', 'a dirty tree is a change, and a clean tree is unknown'],
  'ralph-A60': ['tests/policy/breaker-more-rows.ts', 'ralph-A60'],
  'ralph-C19': ['tests/config/migrate.test.ts', 'CB_AUTO_RESET'],
}

/** Cases that can't occur here, and why. */
export const pointless: Readonly<Record<string, string>> = {
  'ralph-A61':
    'the size of an output is counted from its bytes and kept as a number; there is no file of it to be empty',
  'ralph-A62': 'for the same reason it is never a word',
  'ralph-A67': 'the session of an agent belongs to the loop and is no matter of a decision',
  'ralph-C7': 'every opening of the breaker is stamped; there is no older state without a time',
  'ralph-C11': 'a reset by a new run is part of the event that starts it',
  'ralph-C16': 'times are numbers in the journal; nothing parses them',
  'ralph-C17': 'for the same reason none is empty',
  'ralph-C18': 'nor the word null',
  'ralph-C20': 'the fold of nothing is iteration 0',
  'ralph-C22': 'the fold always has a count',
}
