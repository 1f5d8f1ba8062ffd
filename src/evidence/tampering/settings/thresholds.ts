import { isRunnerConfig } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Changes } from '../changes.ts'
import { short, type TamperFinding } from '../finding.ts'
import { flatten } from './flatten.ts'

const JS = /\.(?:[cm]?[jt]s|jsonc?|ya?ml|json5)$|rc$/
const PYTHON = /(?:py(?:project|test)\.toml|\.ini|setup\.cfg|\.coveragerc)$/

/** Settings that require a coverage. A key has no indexes of lists. */
const THRESHOLDS: readonly { readonly file: RegExp; readonly key: RegExp }[] = [
  {
    file: JS,
    key: /(?:^|\.)(?:coverageThreshold|thresholds?|check-coverage|watermarks)(?:\.|$)|(?:^|\.)(?:branches|functions|lines|statements|perFile)$/i,
  },
  { file: PYTHON, key: /(?:^|\.)(?:fail_under|cov_fail_under|addopts)$/i },
  {
    file: /pom\.xml$/,
    key: /\.(?:rules?\.)?limits?\.limit\.minimum$|\.(?:minimum|coverage\.threshold|lineRate|branchRate)$/i,
  },
  { file: /codecov\.ya?ml$/, key: /(?:^|\.)(?:codecov|coverage\.status\..*\.(?:target|threshold))$/i },
  { file: /\.(?:csproj|props|runsettings)$/, key: /Threshold$/ },
]

/** Coverage that settings no longer ask for. No run of the tests shows that. */
export function thresholdFindings(changes: Changes): TamperFinding[] {
  const files = changes.all.filter(({ path }) => isRunnerConfig(path) || /codecov\.ya?ml$/.test(path))
  return files.flatMap(({ path, before, after }) => {
    const isThreshold = (key: string) => THRESHOLDS.some((each) => each.file.test(path) && each.key.test(key))
    const [was, now] = [numbersIn(path, before, isThreshold), numbersIn(path, after, isThreshold)]
    return [...was].flatMap(([key, old]): TamperFinding[] => {
      const next = now.get(key)
      if (next !== undefined && next.value >= old.value) return []
      // Settings can move to another file.
      const isElsewhere = (other: (typeof files)[number]) =>
        other.path !== path &&
        [...numbersIn(other.path, other.after, () => true)].some(
          ([name, { value }]) => lastOf(name) === lastOf(key) && value >= old.value,
        )
      if (next === undefined && files.some(isElsewhere)) return []
      const is = next === undefined ? `of ${old.value} was removed` : `dropped from ${old.value} to ${next.value}`
      return [
        {
          kind: 'threshold-lowered',
          severity: 'block',
          file: path,
          line: (next ?? old).line,
          before: short(`${key}: ${old.value}`),
          ...(next && { after: short(`${key}: ${next.value}`) }),
          detail: `The threshold "${key}" ${is}. Restore it.`,
        },
      ]
    })
  })
}

const lastOf = (key: string) => key.split('.').at(-1)

/** The wanted numbers of a settings file. pytest has its own among the options. */
function numbersIn(path: string, text: string | undefined, isWanted: (key: string) => boolean) {
  const found = new Map<string, { readonly value: number; readonly line: number }>()
  for (const { key: full, value, line } of text === undefined ? [] : flatten(path, text)) {
    const key = full.replace(/\.\d+(?=\.|$)/g, '')
    const number = /addopts$/i.test(key)
      ? /--cov-fail-under[= ](\d+)/.exec(value)?.[1]
      : /^-?\d+(?:\.\d+)?/.exec(value)?.[0]
    if (number !== undefined && isWanted(key)) found.set(key, { value: Number(number), line })
  }
  return found
}
