import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readShell } from '../../src/system/shell/commands.ts'
import { exitStatuses } from '../../src/system/shell/exit-status.ts'
import { patience } from '../timing.ts'
import { shellRows } from './shell-rows.ts'

const bash = spawnSync('bash', ['--version']).status === 0

const home = mkdtempSync(join(tmpdir(), 'exitgate-shell-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const bin = join(home, 'bin')
const ran = join(home, 'ran')
mkdirSync(bin)
for (const [name, code] of [
  ['X', '"$X_CODE"'],
  ['other', '"$OTHER_CODE"'],
] as const) {
  writeFileSync(join(bin, name), `#!/bin/sh\n${name === 'X' ? `: > ${ran}\n` : ''}exit ${code}\n`)
  chmodSync(join(bin, name), 0o755)
}

/** The arguments are the line, the exit codes of X and the other command, and the folder. Waits for everything the line started. */
const ONE = `one() {
  cd "$4"
  : "$(X_CODE=$2 OTHER_CODE=$3 HOME=$4 bash -c "$1" </dev/null 2>&1 3>&-; echo "$?" >&3)"
  if [ -e '${ran}' ]; then rm '${ran}'; echo ran; else echo -; fi >&3
}
exec 3>&1
`
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const othersOf = (line: string) => (line.includes('other') ? [0, 1] : [0])
const keyOf = (line: string, x: number, other: number) => JSON.stringify([line, x, other])

let results: ReadonlyMap<string, { readonly ok: boolean; readonly started: boolean }> | undefined

/** The exit codes of all lines in bash, and whether X ran. One small shell starts all of them, because this process starts programs slowly. */
function allInBash() {
  const cases = shellRows.flatMap((line) =>
    [0, 1].flatMap((x) => othersOf(line).map((other) => ({ line, x, other, dir: mkdtempSync(join(home, 'dir-')) }))),
  )
  const script = join(home, 'all.sh')
  const calls = cases.map(({ line, x, other, dir }) => `one ${quoted(line)} ${x} ${other} ${dir}\n`)
  writeFileSync(script, ONE + calls.join(''))
  const { stdout } = spawnSync('bash', [script], {
    env: { PATH: `${bin}:${process.env.PATH}` },
    timeout: patience(50_000),
    encoding: 'utf8',
  })
  const printed = stdout.split('\n')
  expect(printed).toHaveLength(2 * cases.length + 1)
  return new Map(
    cases.map(({ line, x, other }, i) => [
      keyOf(line, x, other),
      { ok: printed[2 * i] === '0', started: printed[2 * i + 1] === 'ran' },
    ]),
  )
}

/** Every exit code of a line when X fails (1) or passes (0), for any result of the other command. */
function inBashAtAll(line: string, x: number) {
  results ??= allInBash()
  return othersOf(line).map((other) => results!.get(keyOf(line, x, other))!)
}

const ours = (line: string, x: number) =>
  exitStatuses(readShell(line), ([name]) => {
    if (name === 'X') return [x === 0 ? 'pass' : 'lost']
    return name === 'other' ? ['pass', 'fail'] : ['pass']
  }) ?? []

describe('exit codes of shell lines, compared with bash', () => {
  it('covers more than 200 lines', () => {
    expect(new Set(shellRows).size).toBe(shellRows.length)
    expect(shellRows.length).toBeGreaterThan(300)
  })

  it.for(shellRows)('whether the line can succeed when X fails: %j', (line, { skip }) => {
    skip(!bash, 'bash is not there')
    const truth = inBashAtAll(line, 1).some(({ ok, started }) => ok && started)
    expect(ours(line, 1).some(({ ok, failed }) => ok && failed)).toBe(truth)
  })

  it.for(shellRows)('every exit code when X passes: %j', (line, { skip }) => {
    skip(!bash, 'bash is not there')
    const ends = inBashAtAll(line, 0).map(({ ok }) => ok)
    expect(ours(line, 0).map(({ ok }) => ok)).toEqual(expect.arrayContaining(ends))
  })
})
