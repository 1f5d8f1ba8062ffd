import { flatten } from '../settings/flatten.ts'
import { is, listItems, stringContent } from '../source/tokens-and-blocks.ts'
import { readUnit } from '../source/unit.ts'
import { type Command, classify, readCommands } from './classify.ts'

/** Commands that run under one name: a package script, a make target, a job. */
export interface Recipe {
  readonly name: string
  readonly line: number
  readonly commands: readonly Command[]
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The recipes in a file; undefined if this kind of file has none. */
export function recipesIn(path: string, text: string): Recipe[] | undefined {
  const name = nameOf(path)
  if (name === 'package.json' || name === 'composer.json' || /^deno\.jsonc?$/.test(name))
    return packageScripts(path, text)
  if (/^(?:GNU)?[mM]akefile$|\.mk$/.test(name)) return makeTargets(text, '\t')
  if (/^\.?[jJ]ustfile$/.test(name)) return makeTargets(text, ' ')
  if (name === 'tox.ini' || name === 'pyproject.toml' || /^Taskfile\.ya?ml$/.test(name) || name === 'setup.cfg')
    return settingScripts(path, text)
  if (name === 'noxfile.py') return noxSessions(text)
  if (
    /\.(?:sh|bash|zsh)$/.test(name) ||
    /^#!.*\b(?:ba|z|da)?sh\b/.test(text) ||
    /(?:^|\/)\.(?:husky|ci|git\/hooks)\/[\w.-]+$/.test(path)
  ) {
    return [{ name, line: 1, commands: readCommands(text) }]
  }
  return undefined
}

/** Package scripts by name. If one calls another, it contains the commands of both. */
function packageScripts(path: string, text: string): Recipe[] {
  const scripts = new Map<string, { text: string; line: number }>()
  for (const { key, value, line } of flatten(path, text)) {
    const match = /^(?:scripts|tasks)\.(.+?)(?:\.\d+)?$/.exec(key)
    if (!match) continue
    const before = scripts.get(match[1]!)
    scripts.set(match[1]!, { text: before ? `${before.text} && ${value}` : value, line: before?.line ?? line })
  }
  const expand = (name: string, depth: number): Command[] => {
    const script = scripts.get(name)
    if (!script || depth > 4) return []
    return readCommands(script.text.replace(/^@(?!php|putenv|composer)/, 'composer '), script.line).flatMap(
      (command) => {
        const called = classify(command)
        const callsScript =
          called.name !== name &&
          scripts.has(called.name) &&
          /^(?:npm|pnpm|yarn|bun|composer|deno|npm-run-all|run-s|run-p)\b|\b(?:npm|pnpm|yarn|bun|composer) /.test(
            command.text,
          )
        const inner = callsScript ? expand(called.name, depth + 1) : []
        if (inner.length === 0) return [command]
        return inner.map((each) =>
          command.masked === undefined || each.masked !== undefined ? each : { ...each, masked: command.masked },
        )
      },
    )
  }
  return [...scripts].map(([name, { line }]) => ({ name, line, commands: expand(name, 0) }))
}

/** Targets of a Makefile or justfile. A dash before a command, or -i, ignores its failure. */
function makeTargets(text: string, indent: string): Recipe[] {
  const recipes: { name: string; line: number; needs: string[]; commands: Command[] }[] = []
  const ignored = new Set(
    [...text.matchAll(/^\.IGNORE:[ \t]*(.*)$/gm)].flatMap((match) =>
      match[1] === '' ? ['*'] : match[1]!.split(/\s+/),
    ),
  )
  const ignoresFailures = /^SHELL\s*[:?]?=\s*\S*\b(?:true|echo|:)\s*$/m.test(text)
  const all = ignored.has('*') || ignoresFailures || /^MAKEFLAGS\s*\+?=.*(?:^|\s|-)(?:i|--ignore-errors)\b/m.test(text)
  const lines = text.split('\n')
  let current: (typeof recipes)[number] | undefined
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    const head = /^@?([\w./%$(){}-]+)[^:=]*:(?!=)([^#=]*)/.exec(line)
    if (!/^\s/.test(line) && head) {
      current = {
        name: head[1]!,
        line: i + 1,
        needs: head[2]!.split(/\s+/).filter((need) => need !== ''),
        commands: [],
      }
      recipes.push(current)
    } else if (current && (line.startsWith(indent) || line.startsWith('\t')) && line.trim() !== '') {
      let body = line.trim()
      const start = i + 1
      while (body.endsWith('\\') && i + 1 < lines.length) body = `${body.slice(0, -1)} ${lines[++i]!.trim()}`
      const marks = /^[@+-]*/.exec(body)![0]
      const mask = marks.includes('-')
        ? 'the dash before the command ignores its failure'
        : all || ignored.has(current.name)
          ? '.IGNORE ignores its failure'
          : undefined
      const commands = readCommands(body.slice(marks.length), start)
      current.commands.push(...commands.map((command) => (mask === undefined ? command : { ...command, masked: mask })))
    }
  }
  // A target also runs its prerequisites.
  const withPrerequisites = (name: string, depth: number): Command[] =>
    recipes
      .filter((recipe) => recipe.name === name)
      .flatMap(({ needs, commands }) => [
        ...(depth > 4 ? [] : needs.flatMap((need) => (need === name ? [] : withPrerequisites(need, depth + 1)))),
        ...commands,
      ])
  return recipes.map(({ name, line }) => ({ name, line, commands: withPrerequisites(name, 0) }))
}

/** Commands in settings files: tox environments, tasks of poe, hatch and pdm, Taskfiles. */
function settingScripts(path: string, text: string): Recipe[] {
  const recipes = new Map<string, { name: string; line: number; commands: Command[] }>()
  const ignoring = new Set<string>()
  for (const { key, value, line } of flatten(path, text)) {
    if (/\.ignore_(?:outcome|errors)$/.test(key) && /^true$/i.test(value))
      ignoring.add(key.replace(/\.ignore_\w+$/, ''))
    const match =
      /^(testenv.*|tox\..*)\.commands(?:_pre|_post)?(?:\.\d+)*$|^(tool\.(?:poe\.tasks|hatch\.envs\.[\w-]+\.scripts|pdm\.scripts|taskipy\.tasks|rye\.scripts)\.[\w:-]+)|^(tasks\..+?)\.cmds?(?:\.\d+)?$/.exec(
        key,
      )
    if (!match) continue
    const name = match[1] ?? match[2] ?? match[3]!
    const recipe = recipes.get(name) ?? { name, line, commands: [] }
    recipes.set(name, recipe)
    value.split('\n').forEach((each, i) => {
      const body = each.trim()
      const commands = readCommands(body.replace(/^-\s*/, ''), line + i)
      const mask = /^-\s/.test(body) ? 'the dash before the command ignores its failure' : undefined
      recipe.commands.push(...commands.map((command) => (mask === undefined ? command : { ...command, masked: mask })))
    })
  }
  return [...recipes.values()].map((recipe) => ({
    ...recipe,
    commands: recipe.commands.map((command) =>
      ignoring.has(recipe.name) && command.masked === undefined
        ? { ...command, masked: 'ignore_outcome ignores its failure' }
        : command,
    ),
  }))
}

/** `session.run("pytest", "-q", success_codes=[0, 1])`. */
function noxSessions(text: string): Recipe[] {
  const { tokens, root } = readUnit(text, 'python')
  return root.children
    .filter(({ kind }) => kind === 'function')
    .map(({ name, body, head }) => {
      const commands: Command[] = []
      for (let i = body[0]; i < body[1]; i++) {
        if (!is(tokens[i], 'run') || !is(tokens[i - 1], '.') || !is(tokens[i + 1], '(')) continue
        const args = listItems(tokens, i + 1)
        const words = args
          .filter(([from]) => tokens[from]!.kind === 'string')
          .map(([from]) => stringContent(tokens[from]!.text))
        const acceptsFailure = args.some(([from]) => is(tokens[from], 'success_codes'))
        commands.push({
          text: words.join(' '),
          words,
          line: tokens[i]!.line,
          ...(acceptsFailure && { masked: 'success_codes accepts its failure' }),
        })
      }
      return { name, line: tokens[head[0]]!.line, commands }
    })
}
