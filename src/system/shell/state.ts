import type { Command, Function as ShellFunction } from 'unbash'
import type { Values } from './values.ts'

/** The result of a command. `lost` is a failure of one of the commands in question. */
export type Outcome = 'pass' | 'fail' | 'lost'

/** How a failure was turned into success. */
export interface Masking {
  readonly how: 'or' | 'pipe' | 'after' | 'not' | 'condition' | 'background' | 'output' | 'trap' | 'set +e'
  /** The command that succeeds instead. */
  readonly text: string
}

/** One possible state of a script at some point. */
export interface State extends Values {
  /** Whether one of the commands in question has failed. */
  readonly failed: boolean
  readonly flow: 'next' | 'exit' | 'return' | 'break' | 'continue'
  readonly errexit: boolean
  readonly pipefail: boolean
  readonly functions: ReadonlyMap<string, ShellFunction['body']>
  /** The result of the last background command. */
  readonly background: boolean
  readonly why?: Masking | undefined
}

/** The position of a command in the tree. */
export interface Context {
  readonly source: string
  /** Its exit code is tested, so `set -e` doesn't end the script. */
  readonly tested: boolean
  readonly place: 'or' | 'pipe' | 'after'
  /** It runs because one of the commands in question failed. */
  readonly retry: boolean
  /** The function calls that led here. */
  readonly calls: readonly Command[]
  /** Nesting depth of substitutions and inner shells. */
  readonly depth: number
}

/** The possible results of a command whose exit code isn't known in advance. */
export type Question = (words: readonly string[], node: Command, context: Context) => readonly Outcome[]

/** The state after a command succeeded or failed. Remembers what turned failure into success. */
export function ended(state: State, ok: boolean, why: Masking | undefined): State {
  if (!ok) return { ...state, ok, why: undefined }
  return { ...state, ok, why: state.failed && (!state.ok || state.why === undefined) ? (state.why ?? why) : state.why }
}

const keys = (state: State) =>
  JSON.stringify([
    state.flow,
    state.ok,
    state.failed,
    state.errexit,
    state.pipefail,
    state.background,
    [...state.vars],
    state.args,
    [...state.functions.keys()],
  ])

/** Removes duplicate states. */
export function distinct(states: readonly State[]): State[] {
  return states.length < 2 ? [...states] : [...new Map(states.map((state) => [keys(state), state])).values()]
}
