import type { State } from './state.ts'
import { testWords } from './values.ts'

/** Commands that always succeed. */
const SUCCEEDS =
  /^(?:(?:\/usr)?\/bin\/true|true|:|echo|printf|date|pwd|export|local|declare|typeset|readonly|unset|shopt|umask|alias|unalias|disown|sleep|hash|jobs|times|clear|whoami|hostname|uname|rem|ver)$/
const FAILS = /^(?:(?:\/usr)?\/bin\/false|false)$/

/** Every state a shell builtin can lead to. Undefined for other commands. */
export function builtin(words: readonly string[], state: State): State[] | undefined {
  const [name = '', first, second] = words
  if (SUCCEEDS.test(name)) return [{ ...state, ok: true }]
  if (FAILS.test(name)) return [{ ...state, ok: false }]
  if (name === 'exit' || name === 'return') {
    const code = first === '/b' ? second : first
    return codes(code, state).map((ok) => ({ ...state, ok, flow: name }))
  }
  if (name === 'break' || name === 'continue') return [{ ...state, ok: true, flow: name }]
  if (name === 'set') return [withOptions(words.slice(1), { ...state, ok: true })]
  if (name === 'trap') return [withTrap(words.slice(1), { ...state, ok: true })]
  if (name === 'wait') return [{ ...state, ok: first === undefined ? true : state.background }]
  if (name === 'test' || name === '[') {
    const known = testWords(
      words.slice(1, name === '[' ? -1 : undefined).map((word) => (word.includes('$') ? undefined : word)),
    )
    return known === undefined ? [true, false].map((ok) => ({ ...state, ok })) : [{ ...state, ok: known }]
  }
  return undefined
}

/** `exit`, `exit 2`, `exit $unknown`. */
function codes(code: string | undefined, { ok }: State): boolean[] {
  if (code === undefined || code === '') return [ok]
  return /^\d+$/.test(code) ? [Number(code) % 256 === 0] : code.includes('$') ? [true, false] : [false]
}

/** `set -e`, `set +e`, `set -euo pipefail`, `set -o errexit`: also the options of a shell that is started. */
export function withOptions(words: readonly string[], state: State): State {
  let now = state
  words.forEach((word, i) => {
    const sign = /^([-+])([a-zA-Z]+)$/.exec(word)
    if (sign === null) return
    const on = sign[1] === '-'
    const long = sign[2]!.endsWith('o') ? words[i + 1] : undefined
    if (sign[2]!.includes('e') || long === 'errexit') {
      const vars = new Map(now.vars)
      if (on) vars.delete('set +e')
      else vars.set('set +e', '')
      now = { ...now, errexit: on, vars }
    }
    if (long === 'pipefail') now = { ...now, pipefail: on }
  })
  return now
}

/** The command of a trap is stored among the variables, under a name no variable can have. */
export const trapName = (signal: string): string => `trap ${signal.replace(/^0$/, 'EXIT').replace(/^SIG/, '')}`

function withTrap(words: readonly string[], state: State): State {
  const [action = '', ...signals] = words[0] === '--' ? words.slice(1) : words
  const vars = new Map(state.vars)
  for (const signal of signals) {
    if (action === '-' || action === '') vars.delete(trapName(signal))
    else vars.set(trapName(signal), action)
  }
  return { ...state, vars }
}

/** Programs that only start another one, with their options that take a value. */
const STARTERS: Readonly<Record<string, RegExp>> = {
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  env: /^(?:-u|-C|-S|--unset|--chdir)$/,
  nohup: /^$/,
  nice: /^-n$/,
  ionice: /^-[cn]$/,
  time: /^-[fo]$/,
  timeout: /^(?:-k|-s|--signal|--kill-after)$/,
  sudo: /^-[ugh]$/,
  stdbuf: /^-[ioe]$/,
  setsid: /^$/,
  xargs: /^-(?:[ILndEsaP]|-max-args|-max-procs|-delimiter|-replace)$/,
  'cross-env': /^$/,
}

/** The words after a program that only starts another one. Undefined if there is none. */
export function wrappedCommand(words: readonly string[]): readonly string[] | undefined {
  const [name = '', ...rest] = words
  const takesValue = Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined
  if (takesValue === undefined || (name === 'command' && /^-[vV]$/.test(rest[0] ?? ''))) return undefined
  let at = 0
  while (rest[at]?.startsWith('-') || (/^(?:env|sudo|cross-env)$/.test(name) && /^\w+=/.test(rest[at] ?? '')))
    at += takesValue.test(rest[at]!) ? 2 : 1
  return rest.slice(name === 'timeout' ? at + 1 : at)
}
