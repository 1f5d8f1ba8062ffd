import {
  type AndOr,
  type Case,
  type Command,
  type CompoundList,
  type For,
  forEachChild,
  type If,
  type Pipeline,
  type Statement,
  type SyntaxNode,
  type While,
} from 'unbash'
import { builtin, trapName, withOptions, wrappedCommand } from './builtins.ts'
import { innerScript, readShell, type ShellScript, wordsOf } from './commands.ts'
import { type Context, distinct, ended, type Masking, type Question, type State } from './state.ts'
import { calculate, expand, testExpression, textOf } from './values.ts'

/** One way a script can end. */
export interface End {
  readonly ok: boolean
  /** Whether one of the commands in question failed on the way. */
  readonly failed: boolean
  readonly why?: Masking | undefined
}

export interface ShellOptions {
  /** The script runs under `sh -e`. */
  readonly errexit?: boolean
}

/** With more states or steps than these, the result is unknown. */
const MOST_STATES = 400
const MOST_STEPS = 20_000
/** Maximum passes through a loop, and maximum depth of functions, substitutions and inner shells. */
const TURNS = 2
const DEEPEST = 8

/** Every way a script can end. Undefined if there are too many. */
export function exitStatuses(script: ShellScript, question: Question, options: ShellOptions = {}): End[] | undefined {
  const start: State = {
    ok: true,
    failed: false,
    flow: 'next',
    errexit: options.errexit ?? /^#!.*\s-[a-z]*e/.test(script.tree.shebang ?? script.source),
    pipefail: false,
    vars: new Map(),
    args: [],
    functions: new Map(),
    background: true,
  }
  const top: Context = { source: script.source, tested: false, place: 'after', retry: false, calls: [], depth: 0 }
  const shell = new Interpreter(question)
  const ends = shell.finished(shell.list(script.tree.commands, [start], top), top)
  return shell.bounded ? ends.map(({ ok, failed, why }) => ({ ok, failed, why })) : undefined
}

/** Follows all paths through a script at once: a command with two possible results doubles a state. */
class Interpreter {
  private readonly question: Question
  private steps = 0
  /** Whether every path was followed. If not, the result is unknown. */
  bounded = true

  constructor(question: Question) {
    this.question = question
  }

  /** Runs the next command for the states that continue. The others stay unchanged. */
  onward(states: readonly State[], run: (state: State) => readonly State[]): State[] {
    const all = distinct(states.flatMap((state) => (state.flow === 'next' ? run(state) : [state])))
    this.steps += all.length
    if (all.length > MOST_STATES || this.steps > MOST_STEPS) this.bounded = false
    return this.bounded ? all : []
  }

  list(statements: readonly Statement[], states: readonly State[], context: Context): State[] {
    return statements.reduce<State[]>(
      (so, statement) => this.onward(so, (state) => this.runStatement(statement, state, context)),
      [...states],
    )
  }

  body({ commands }: CompoundList, states: readonly State[], context: Context): State[] {
    return this.list(commands, states, context)
  }

  runStatement({ command, background }: Statement, state: State, context: Context): State[] {
    if (!background) return this.run(command, state, context)
    return this.subshell(state, context, (own) => this.run(command, own, context)).map((end) => ({
      ...ended({ ...state, failed: end.failed, ok: end.ok }, true, { how: 'background', text: '' }),
      background: end.ok,
    }))
  }

  run(node: SyntaxNode, state: State, context: Context): State[] {
    switch (node.type) {
      case 'Command':
        return this.afterCommand(this.simple(node, state, context), context)
      case 'AndOr':
        return this.runAndOr(node, state, context)
      case 'Pipeline':
        return this.runPipeline(node, state, context)
      case 'Redirected':
        return this.run(node.command, state, context)
      case 'BraceGroup':
        return this.body(node.body, [state], context)
      case 'Subshell':
        return this.afterCommand(
          this.subshell(state, context, (own) => this.body(node.body, [own], context)),
          context,
        )
      case 'If':
        return this.runIf(node, state, context)
      case 'While':
        return this.runWhile(node, state, context)
      case 'For':
      case 'Select':
        return this.runFor(node, state, context)
      case 'ArithmeticFor':
        return this.turns(state, TURNS, 0, (so) => this.body(node.body, [so], context))
      case 'Case':
        return this.runCase(node, state, context)
      case 'Function':
        return [{ ...state, ok: true, functions: new Map(state.functions).set(node.name.value, node.body) }]
      case 'TestCommand':
        return this.afterCommand(
          bothOutcomes(testExpression(node.expression, state), state, 'the test', context),
          context,
        )
      case 'ArithmeticCommand': {
        const result = node.expression && calculate(node.expression, state)
        const known = result?.number === undefined ? undefined : result.number !== 0
        const now = { ...state, vars: result?.vars ?? state.vars }
        return this.afterCommand(bothOutcomes(known, now, `((${node.body}))`, context), context)
      }
      case 'Coproc':
        return this.subshell(state, context, (own) => this.run(node.body, own, context)).map((end) =>
          ended({ ...state, failed: end.failed, ok: end.ok }, true, { how: 'background', text: '' }),
        )
      case 'CompoundList':
        return this.body(node, [state], context)
      default:
        return [state]
    }
  }

  /** Handles a failed command: runs the ERR trap and ends the script under `set -e`. */
  afterCommand(states: readonly State[], context: Context): State[] {
    if (context.tested) return [...states]
    return states.flatMap((state) => {
      if (state.ok || state.flow !== 'next') return [state]
      const trap = state.vars.get(trapName('ERR'))
      const quiet = withoutTrap(state, 'ERR')
      const states = trap === undefined ? [state] : this.runTrap(trap, quiet, context)
      return states.map((each) => (each.flow === 'next' && state.errexit ? { ...each, ok: false, flow: 'exit' } : each))
    })
  }

  /** A trap doesn't change the exit code of a script unless it calls exit. */
  runTrap(text: string, state: State, context: Context): State[] {
    const script = readShell(text)
    const inside: Context = { ...context, source: script.source, tested: true }
    return this.list(script.tree.commands, [state], inside).map((end) =>
      end.flow === 'exit'
        ? { ...end, why: end.ok && end.failed ? { how: 'trap', text } : undefined }
        : { ...end, ok: state.ok, why: state.why, flow: state.flow },
    )
  }

  /** The states at the end of a shell, after its EXIT trap. */
  finished(states: readonly State[], context: Context): State[] {
    return states.flatMap((state) => {
      const trap = state.vars.get(trapName('EXIT'))
      return trap === undefined ? [state] : this.runTrap(trap, { ...withoutTrap(state, 'EXIT'), flow: 'next' }, context)
    })
  }

  /** A subshell changes nothing but the exit code. */
  subshell(state: State, context: Context, inside: (own: State) => State[]): State[] {
    const ends = this.finished(inside(withoutTrap(withoutTrap(state, 'EXIT'), 'ERR')), context)
    return distinct(
      ends.map((end) => ({ ...state, ok: end.ok, failed: end.failed, why: end.why, background: end.background })),
    )
  }

  runAndOr({ commands, operators }: AndOr, state: State, context: Context): State[] {
    let states = this.run(commands[0]!, state, { ...context, tested: true })
    commands.slice(1).forEach((command, i) => {
      const or = operators[i] === '||'
      states = this.onward(states, (so) =>
        so.ok === or
          ? [so]
          : this.run(command, so, {
              ...context,
              tested: context.tested || i < operators.length - 1,
              place: or ? 'or' : context.place,
              retry: context.retry || (or && so.failed),
            }),
      )
    })
    return states
  }

  runPipeline({ commands, prefixes }: Pipeline, state: State, context: Context): State[] {
    const negated = prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1
    const inner: Context = { ...context, tested: context.tested || negated }
    const states = commands.length === 1 ? this.run(commands[0]!, state, inner) : this.runPiped(commands, state, inner)
    if (!negated) return states
    return states.map((each) => (each.flow === 'next' ? ended(each, !each.ok, { how: 'not', text: '' }) : each))
  }

  runPiped(commands: Pipeline['commands'], state: State, context: Context): State[] {
    let ways: { readonly failed: boolean; readonly ends: readonly State[] }[] = [{ failed: state.failed, ends: [] }]
    for (const [i, command] of commands.entries()) {
      const place = i === commands.length - 1 ? 'pipe' : context.place
      ways = ways.flatMap(({ failed, ends }) =>
        this.subshell({ ...state, failed, ok: ends.at(-1)?.ok ?? state.ok }, context, (own) =>
          this.run(command, own, { ...context, place }),
        ).map((end) => ({ failed: end.failed, ends: [...ends, end] })),
      )
    }
    const states = ways.map(({ failed, ends }) => {
      const vars = new Map(state.vars)
      ends.forEach((end, i) => {
        vars.set(`PIPESTATUS[${i}]`, end.ok ? '0' : '1')
      })
      const ok = state.pipefail ? ends.every((end) => end.ok) : ends.at(-1)!.ok
      return { ...state, failed, vars, ok, why: ok ? ends.at(-1)!.why : undefined }
    })
    return this.afterCommand(distinct(states), context)
  }

  runIf(node: If, state: State, context: Context): State[] {
    const branches = [node, ...node.elif]
    const from = (i: number, so: State): State[] => {
      const branch = branches[i]
      if (branch === undefined)
        return node.else === undefined
          ? [ended(so, true, { how: 'condition', text: 'if' })]
          : this.body(node.else, [so], { ...context, retry: context.retry || so.failed })
      return this.onward(this.body(branch.clause, [so], { ...context, tested: true }), (asked) =>
        asked.ok ? this.body(branch.then, [asked], context) : from(i + 1, asked),
      )
    }
    return from(0, state)
  }

  /** Runs the body of a loop between `least` and `most` times. `break` ends it. */
  turns(state: State, most: number, least: number, turn: (so: State, i: number) => State[]): State[] {
    const done: State[] = least === 0 ? [ended(state, true, { how: 'condition', text: 'for' })] : []
    let going: State[] = [state]
    for (let i = 0; i < most && this.bounded; i++) {
      const after = this.onward(going, (so) => turn(so, i)).map(
        (so): State => (so.flow === 'continue' ? { ...so, flow: 'next' } : so),
      )
      done.push(
        ...after
          .filter(({ flow }) => flow !== 'next')
          .map((so): State => (so.flow === 'break' ? { ...so, flow: 'next' } : so)),
      )
      going = after.filter(({ flow }) => flow === 'next')
      if (i + 1 >= least) done.push(...going)
    }
    return distinct(done)
  }

  runFor(node: Pick<For, 'name' | 'wordlist' | 'body'>, state: State, context: Context): State[] {
    const items = node.wordlist?.flatMap((word) => expand(word, state)) ?? state.args
    const known = items.length <= 8 && items.every((item) => !/[$`*?{[]/.test(item))
    if (known && items.length === 0) return [ended(state, true, { how: 'condition', text: 'for' })]
    return this.turns(state, known ? items.length : TURNS, known ? items.length : 1, (so, i) => {
      const vars = new Map(so.vars)
      if (known) vars.set(node.name.value, items[i]!)
      else vars.delete(node.name.value)
      return this.body(node.body, [{ ...so, vars }], context)
    })
  }

  /** A loop without a pass succeeds. Otherwise its result is that of the last pass, stored under a name no variable can have. */
  runWhile(node: While, state: State, context: Context): State[] {
    const name = `turn ${node.pos}`
    const turned = (so: State): State => ({ ...so, flow: 'next', vars: new Map(so.vars).set(name, so.ok ? '0' : '1') })
    const done: State[] = []
    let going = [turned({ ...state, ok: true })].map((so): State => ({ ...so, ok: state.ok, why: state.why }))
    for (let i = 0; i <= TURNS && this.bounded && going.length > 0; i++) {
      const asked = this.onward(going, (so) => this.body(node.clause, [so], { ...context, tested: true }))
      const next = asked.filter(({ flow }) => flow === 'next')
      const over = next.filter(({ ok }) => ok !== (node.kind === 'while'))
      const after = this.onward(
        next.filter((so) => !over.includes(so)),
        (so) => this.body(node.body, [so], context),
      )
      const goesOn = ({ flow }: State) => flow === 'next' || flow === 'continue'
      done.push(
        ...asked.filter(({ flow }) => flow !== 'next'),
        ...over.map((so) => ended(so, so.vars.get(name) === '0', { how: 'condition', text: node.kind })),
        ...after.filter((so) => !goesOn(so)),
      )
      going = after.filter(goesOn).map(turned)
    }
    return distinct(done.map((so) => (so.flow === 'break' ? { ...so, flow: 'next' } : so)))
  }

  runCase({ word, items }: Case, state: State, context: Context): State[] {
    const value = textOf(word, state)
    const ends: State[] = []
    for (const [i, item] of items.entries()) {
      const texts = item.pattern.map((pattern) => pattern.value)
      const all = texts.includes('*')
      const fits = all || (value !== undefined && texts.includes(value))
      const may = fits || value === undefined || texts.some((text) => /[*?[]/.test(text))
      if (!may) continue
      let states = this.body(item.body, [state], context)
      for (let at = i; items[at]?.terminator === ';&' && items[at + 1] !== undefined; at++)
        states = this.onward(states, (so) => this.body(items[at + 1]!.body, [so], context))
      ends.push(...states)
      if (fits) return distinct(ends)
    }
    return distinct([...ends, ended(state, true, { how: 'condition', text: 'case' })])
  }

  /** Substitutions in a command run first. Only a bare assignment returns their exit code. */
  simple(node: Command, state: State, context: Context): State[] {
    const inside: { readonly script: ShellScript; readonly output: boolean }[] = []
    const search = (child: SyntaxNode): void => {
      if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution') {
        if (context.depth < DEEPEST && child.script !== undefined)
          inside.push({
            script: { source: child.script.source ?? context.source, tree: child.script },
            output: child.type === 'CommandExpansion',
          })
      } else forEachChild(child, search)
    }
    forEachChild(node, search)
    let states: { readonly so: State; readonly code?: boolean }[] = [{ so: state }]
    for (const { script, output } of inside)
      states = states.flatMap(({ so, code }) =>
        this.subshell({ ...so, errexit: false }, context, (own) =>
          this.list(script.tree.commands, [own], {
            ...context,
            source: script.source,
            place: 'after',
            depth: context.depth + 1,
          }),
        ).map((end) => ({
          so: { ...so, failed: end.failed, ok: so.ok, why: so.why },
          ...(output ? { code: end.ok } : code !== undefined && { code }),
        })),
      )
    const text = context.source.slice(node.pos, node.end)
    return distinct(
      states.flatMap(({ so, code }) => {
        const lost = so.failed && !state.failed
        const why: Masking = lost
          ? { how: 'output', text }
          : { how: so.vars.has('set +e') ? 'set +e' : context.place, text }
        if (node.name === undefined) return [ended(withAssignments(node, so), code ?? true, why)]
        const words = [node.name, ...node.args].flatMap((word) =>
          word.type === 'Word' ? expand(word, so) : [word.text],
        )
        // It also sets variables and has its own exit code.
        const set = /^(?:export|local|declare|typeset|readonly)$/.test(words[0] ?? '') ? withAssignments(node, so) : so
        const before = lost ? { ...set, ok: false } : set
        return this.call(words, node, { ...before, ok: so.ok }, context).map((end) =>
          ended({ ...end, ok: lost ? false : so.ok, why: so.why }, end.ok, end.why ?? why),
        )
      }),
    )
  }

  /** Runs a program, a function or a builtin. */
  call(words: readonly string[], node: Command, state: State, context: Context): State[] {
    const [name = ''] = words
    const rest = wrappedCommand(words)
    if (rest !== undefined && (rest.length > 0 || name === 'exec')) {
      if (rest.length === 0) return [{ ...state, ok: true }]
      const ends = this.call(rest, node, state, context)
      return name === 'exec' ? ends.map((end) => (end.flow === 'next' ? { ...end, flow: 'exit' } : end)) : ends
    }
    const own = state.functions.get(name)
    if (own !== undefined && context.calls.length < DEEPEST) {
      const inside = { ...context, calls: [...context.calls, node] }
      return this.run(own, { ...state, args: words.slice(1) }, inside).map((end) => ({
        ...end,
        args: state.args,
        flow: end.flow === 'return' ? 'next' : end.flow,
      }))
    }
    const known = builtin(words, state)
    if (known !== undefined) return known
    const script = scriptOf(words, node)
    if (script !== undefined) {
      if (context.depth >= DEEPEST)
        return [
          { ...state, ok: true },
          { ...state, ok: false },
        ]
      const inside = { ...context, source: script.source, depth: context.depth + 1 }
      if (name === 'eval') return this.list(script.tree.commands, [state], inside)
      const options = words.slice(1, words.findIndex((word) => /^-[a-z]*c$/.test(word)) + 1)
      const fresh = { ...state, errexit: false, pipefail: false, functions: new Map() }
      return this.subshell(state, context, () =>
        this.list(script.tree.commands, [withOptions(options, fresh)], { ...inside, tested: false, place: 'after' }),
      )
    }
    if (name === 'find' && words.includes('-exec')) {
      const from = words.indexOf('-exec') + 1
      const end = words.findIndex((word, i) => i > from && (word === ';' || word === '+'))
      const ends = this.call(words.slice(from, end < 0 ? undefined : end), node, state, context)
      return words[end] === '+' ? ends : ends.map((each) => ({ ...each, ok: true }))
    }
    return this.question(words, node, context).map((outcome) => ({
      ...state,
      ok: outcome === 'pass',
      failed: state.failed || outcome === 'lost',
    }))
  }
}

function bothOutcomes(known: boolean | undefined, state: State, text: string, { place }: Context): State[] {
  return (known === undefined ? [true, false] : [known]).map((ok) => ended(state, ok, { how: place, text }))
}

function withoutTrap(state: State, signal: string): State {
  const vars = new Map(state.vars)
  vars.delete(trapName(signal))
  return { ...state, vars }
}

function withAssignments(node: Command, state: State): State {
  const vars = new Map(state.vars)
  for (const each of [...node.prefix, ...node.args]) {
    if (each.type !== 'Assignment') continue
    const value = each.value.type === 'Word' ? textOf(each.value, state) : undefined
    if (value === undefined || each.append || each.index) vars.delete(each.name)
    else vars.set(each.name, value)
  }
  return { ...state, vars }
}

/** The script passed to another shell: the literal text, or its known value. */
function scriptOf(words: readonly string[], node: Command): ShellScript | undefined {
  const written = innerScript(node)
  if (written !== undefined && wordsOf(node).join('\n').endsWith(words.join('\n'))) return written
  if (words[0] === 'eval') return readShell(words.slice(1).join(' '))
  const at = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/.test(words[0] ?? '')
    ? words.findIndex((word) => /^-[a-z]*c$/.test(word))
    : -1
  return at < 0 ? undefined : readShell(words[at + 1] ?? '')
}
