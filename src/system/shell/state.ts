import type { Command, Function as ShellFunction } from 'unbash'
import type { Values } from './values.ts'

/** What a command comes to. `lost` is a failure of a command that the question is about. */
export type Outcome = 'pass' | 'fail' | 'lost'

/** How a failure came to be followed by success. */
export interface Why {
  readonly how: 'or' | 'pipe' | 'after' | 'not' | 'condition' | 'background' | 'output' | 'trap' | 'set +e'
  /** The command that succeeds in its place. */
  readonly text: string
}

/** One way in which a script can have gone so far. */
export interface State extends Values {
  /** A command that the question is about has failed. */
  readonly failed: boolean
  readonly flow: 'next' | 'exit' | 'return' | 'break' | 'continue'
  readonly errexit: boolean
  readonly pipefail: boolean
  readonly functions: ReadonlyMap<string, ShellFunction['body']>
  /** How the last command in the background ended. */
  readonly background: boolean
  readonly why?: Why | undefined
}

/** Where in the tree a command is. */
export interface Context {
  readonly source: string
  /** Its failure is asked for, so that `set -e` does not end the script. */
  readonly tested: boolean
  readonly place: 'or' | 'pipe' | 'after'
  /** It runs because a command that the question is about has failed. */
  readonly retry: boolean
  /** The calls of functions that led here. */
  readonly calls: readonly Command[]
  /** In how many substitutions and inner shells. */
  readonly depth: number
}

/** Which outcomes a command can have; never asked about commands whose end is known. */
export type Question = (words: readonly string[], node: Command, context: Context) => readonly Outcome[]

/** The state after a command ended well or badly; remembers what turned failure into success. */
export function ended(state: State, ok: boolean, why: Why | undefined): State {
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

/** Each state once. */
export function distinct(states: readonly State[]): State[] {
  return states.length < 2 ? [...states] : [...new Map(states.map((state) => [keys(state), state])).values()]
}
