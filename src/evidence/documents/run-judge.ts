import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandResult, RunOptions, Workspace } from '../types.ts'

/** What a judge in its own process says about one item. */
export interface Judgement {
  readonly answer: 'yes' | 'no' | 'unknown'
  /** 1-based line within the item, if known. */
  readonly line?: number
  readonly reason?: string
}

/**
 * A self-contained function: its source text is all that the other process gets, so it can use nothing from its file. It imports
 * modules by the URLs it is given.
 */
export type Judge<Input> = (
  load: (address: string) => Promise<unknown>,
  addresses: readonly string[],
  input: Input,
) => Promise<readonly Judgement[]>

const MEMORY = '--max-old-space-size=1024'
const MAX_BYTES = 8 * 1024 * 1024
const MARK = 'exitgate-judgements:'

/** URLs of packages installed next to exitgate; undefined if one is missing. Never those of the workspace. */
export function installed(packages: readonly string[], from = import.meta.url): readonly string[] | undefined {
  try {
    let require = createRequire(from)
    // Each package is resolved from the one before, so the second is the copy that the first will load.
    return packages.map((name) => {
      const [wanted, file] = name.split(' ')
      const path = file === undefined ? require.resolve(wanted!) : join(packageFolder(require, wanted!), file)
      require = createRequire(path)
      return pathToFileURL(path).href
    })
  } catch {
    return undefined
  }
}

function packageFolder(require: NodeJS.Require, name: string): string {
  const main = require.resolve(name)
  const end = main.lastIndexOf(join('node_modules', ...name.split('/')))
  return end < 0 ? dirname(main) : main.slice(0, end + join('node_modules', ...name.split('/')).length)
}

/** Runs a judge in its own process. If it hangs or uses too much memory, only that process ends. */
export async function runJudge<Input>(
  judge: Judge<Input>,
  addresses: readonly string[],
  input: Input,
  workspace: Workspace,
  options: Pick<RunOptions, 'deadlineMs' | 'signal'>,
): Promise<readonly Judgement[] | string> {
  const program = `
    let text = ''
    for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
    const { addresses, input } = JSON.parse(text)
    for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = () => {}
    const judgements = await (${judge.toString()})((address) => import(address), addresses, input)
    process.stdout.write('\\n${MARK}' + JSON.stringify(judgements) + '\\n', () => process.exit(0))
  `
  const ran = await workspace.run([process.execPath, MEMORY, '--no-warnings', '--input-type=module', '-e', program], {
    ...options,
    input: JSON.stringify({ addresses, input }),
    maxBytes: MAX_BYTES,
    separate: true,
  })
  return read(ran)
}

function read(ran: CommandResult): readonly Judgement[] | string {
  if (ran.ended === 'deadline') return 'it did not finish in time'
  if (ran.ended !== 'exit') return ran.problem ?? 'it was stopped'
  const line = (ran.stdout ?? '').split('\n').findLast((each) => each.startsWith(MARK))
  if (ran.code !== 0 || line === undefined) {
    const last = ran.output.trim().split('\n').at(-1) ?? ''
    return `it ${ran.code === null ? 'was killed by a signal' : `exited with ${ran.code}`}${last === '' ? '' : `: ${last.slice(0, 200)}`}`
  }
  return JSON.parse(line.slice(MARK.length)) as readonly Judgement[]
}
