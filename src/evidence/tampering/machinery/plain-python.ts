/** Lines at the start of a line that run no code of their own. */
const PLAIN =
  /^(?:#.*|"""|'''|["'].*|import\s+[\w., ]+|from\s+[\w.]+\s+import\b.*|(?:async\s+)?def\s+(?!pytest_)\w+\(|class\s+\w+|@pytest\.fixture\b.*|@(?:staticmethod|classmethod|property|dataclass|contextmanager)\b.*|[)\]}].*|if (?:typing\.)?TYPE_CHECKING:|[A-Z_a-z]\w*(?::\s*[\w[\], .]+)?\s*=\s*(?:["'\d[{(]|True|False|None|Path\(|pathlib\.Path\(|logging\.getLogger\()|sys\.path\.(?:insert|append)\(|os\.environ(?:\[|\.setdefault\())/
/** Calls in what looks like a plain value. */
const CALLS =
  /\b(?:exec|eval|setattr|delattr|__import__|getattr|globals|vars|compile|patch|reload)\s*\(|sys\.modules|__dict__|lambda/
/** What a fixture for every test may do without changing a result. */
const SETS_UP =
  /^(?:(?:async\s+)?def\s.*|"""|'''|["'].*|#.*|monkeypatch\.(?:setenv|delenv|chdir|syspath_prepend)\(|os\.environ\b|yield\b[\w\s.]*|pass|return|[\w, ]+=\s*tmp_path\b.*|[)\]},].*|["'\w]+.*,)$/

/** A conftest.py whose new parts only define fixtures that tests ask for. */
export function isPlainConftest(before: string | undefined, after: string): boolean {
  if (!isPlainPython(before, after)) return false
  // A fixture that changed is used by tests that did not.
  if (before !== undefined && functionsIn(before).some(([name, body]) => functionOf(after, name) !== body)) return false
  return functionsIn(after).every(
    ([name, body]) => !/\bautouse\s*=/.test(body) || functionOf(before ?? '', name) === body || setsUpOnly(body),
  )
}

/** Whether the new lines outside of functions run nothing. */
export function isPlainPython(before: string | undefined, after: string): boolean {
  const had = new Set((before ?? '').split('\n'))
  let inText = false
  for (const line of after.split('\n')) {
    const marks = line.match(/"""|'''/g)?.length ?? 0
    const isText = inText
    if (marks % 2 === 1) inText = !inText
    if (isText || line.trim() === '' || had.has(line) || /^\s/.test(line)) continue
    if (!PLAIN.test(line) || CALLS.test(line)) return false
  }
  return !/\bpytest_plugins\b|^\s*(?:async\s+)?def\s+(?:pytest_\w+|load_tests)\b/m.test(withoutOld(after, had))
}

const withoutOld = (after: string, had: ReadonlySet<string>) =>
  after
    .split('\n')
    .filter((line) => !had.has(line))
    .join('\n')

/** Functions at the top of a module with their decorators, by name. */
function functionsIn(text: string): (readonly [name: string, body: string])[] {
  const found: (readonly [string, string])[] = []
  let name: string | undefined
  let body: string[] = []
  const close = () => {
    if (name !== undefined) found.push([name, body.join('\n').trim()])
    name = undefined
    body = []
  }
  for (const line of text.split('\n')) {
    const defined = /^(?:async[ \t]+)?def[ \t]+(\w+)/.exec(line)?.[1]
    const continues = line === '' || /^[\s)\]}]/.test(line)
    if (!continues && (name !== undefined || !(line.startsWith('@') || defined !== undefined))) close()
    if (line.startsWith('@') || defined !== undefined || body.length > 0) body.push(line)
    name ??= defined
  }
  close()
  return found
}

const functionOf = (text: string, name: string) => functionsIn(text).find(([each]) => each === name)?.[1]

const setsUpOnly = (body: string) =>
  body
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('@'))
    .every(
      (line) =>
        SETS_UP.test(line) ||
        /^(?:monkeypatch\.(?:setenv|delenv|chdir|syspath_prepend)|os\.environ\.\w+|os\.environ\[)/.test(line),
    )
