// Which commits of a clone are used: those with one parent that change product code and an existing test file, newest first.
import { execFileSync } from 'node:child_process'

const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|rb)$/
const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:test|spec)\.[cm]?[jt]sx?$|_test\.(?:go|py)$|(?:^|\/)test_[^/]*\.py$|(?:^|\/)test(?:-[^/]*)?\.[cm]?[jt]s$|Test\.java$|_spec\.rb$/
const APART =
  /(?:^|\/)(?:docs?|examples?|bench(?:marks?)?|scripts?|website|\.github|node_modules)\/|\.d\.[cm]?ts$|(?:^|\/)[\w.-]*\.config\.[cm]?[jt]s$|(?:^|\/)(?:noxfile|setup|conftest)\.py$/
const MARK = '\u0001'

/** The newest `count` of them, as `{ sha, parent, date, subject }`. */
export function chooseCommits(git, { count, paths = [], before }) {
  const text = execFileSync(
    'git',
    [
      '--git-dir',
      git,
      'log',
      '--no-merges',
      '--name-status',
      ...(before === undefined ? [] : [`--before=${before}`]),
      `--format=${MARK}%H%x09%P%x09%cs%x09%s`,
      'HEAD',
      ...(paths.length > 0 ? ['--', ...paths] : []),
    ],
    { encoding: 'utf8', maxBuffer: 1 << 29, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const chosen = []
  for (const entry of text.split(MARK)) {
    if (chosen.length >= count) break
    const [head, ...lines] = entry.split('\n')
    const [sha, parent = '', date, subject] = head.split('\t')
    const files = lines.filter(Boolean).map((line) => line.split('\t'))
    if (/^\w+$/.test(parent) && files.some(isChangedTest) && files.some(isProduct))
      chosen.push({ sha, parent, date, subject })
  }
  return chosen
}

const isChangedTest = ([how, path]) => /^[MDR]/.test(how) && CODE.test(path) && TEST.test(path)
const isProduct = ([, ...paths]) => paths.some((path) => CODE.test(path) && !TEST.test(path) && !APART.test(path))
