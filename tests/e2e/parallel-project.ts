import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { BacklogRecord } from '../../src/parallel/record.ts'
import { patience } from '../timing.ts'
import { CLAIM, type Ran, runProject, TAP } from './run-project.ts'

/** Every file in `parts` must contain "done". The first test always passes. */
const TEST = `${TAP}all_done() { for file in parts/*; do test ! -e "$file" || test "$(cat "$file")" = done || return 1; done; }
check 'the sum is right' test $((1 + 1)) = 2
check 'all parts are done' all_done
check 'the parts fit together' test ! -e parts/left -o ! -e parts/right
`

/**
 * The agent of all tasks. A line of its prompt names the task and the commands that it runs. It logs when and where it started and
 * ended, so tests can check which agents ran at the same time.
 */
const AGENT = `set -e
n=$EXITGATE_ITERATION line='?'
while IFS= read -r each; do case $each in 'DO '*) line=\${each#DO } ;; esac; done
id=\${line%% *}
note() { echo "$1 $id $n $PWD" >> "$HOME/log"; }
wait_for() { while [ ! -e "$HOME/$1" ]; do sleep 0.05; done; }
part() { mkdir -p parts; printf %s "\${2-done}" > "parts/$1"; }
claim() { ${CLAIM}; }
usage() { echo '{"type":"result","subtype":"success","is_error":false,"result":"Still at it.","total_cost_usd":'$1',"session_id":"s","usage":{"input_tokens":1,"output_tokens":1}}'; }
go_on() { printf 'Still at it.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest\\n'; }
note begin
trap 'note end' EXIT
eval "\${line#* }"
`

export interface TaskRow {
  readonly id: string
  /** Shell commands that the agent runs. */
  readonly does: string
  readonly [key: string]: unknown
}

/** Writes its part and claims. */
export const does = (name: string): string => `part ${name}; claim`
/** Claims without doing anything. */
export const LIES = 'claim'

export function parallelProject(
  tasks: readonly TaskRow[],
  options: { readonly limits?: object; readonly files?: Readonly<Record<string, string>> } = {},
) {
  const project = runProject({ 'halves.sh': TEST, ...options.files })
  // No test fails without a part.
  Object.assign(project.env, { EXITGATE_EVIDENCE_PROOF: 'report' })
  const file = join(project.root, 'tasks.yaml')
  const list = (rows: readonly TaskRow[], limits: object = options.limits ?? {}): void => {
    const all = rows.map(({ does: what, ...row }) => ({ ...row, prompt: `Do your part.\nDO ${row.id} ${what}\n` }))
    writeFileSync(file, JSON.stringify({ tasks: all, limits }))
  }
  list(tasks)
  const agent = project.agent(AGENT)
  const argsOf = (...args: readonly string[]): readonly string[] => ['run', '--tasks', file, ...args, '--', ...agent]
  const log = (): readonly string[] => {
    const path = join(project.root, 'log')
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  }
  return {
    ...project,
    file,
    list,
    args: argsOf,
    log,
    /** How often the task's agent was started. */
    starts: (task: string): number => log().filter((line) => line.startsWith(`begin ${task} `)).length,
    let: (name: string): void => writeFileSync(join(project.root, name), ''),
    tasks: (...args: readonly string[]): Promise<Ran> => project.run(argsOf(...args)),
    folder: (): string => join(project.journalDir(), 'backlog'),
    record(): BacklogRecord {
      return JSON.parse(readFileSync(join(this.folder(), 'backlog.json'), 'utf8')) as BacklogRecord
    },
    /** How each task ended, as short text. */
    ends(): Readonly<Record<string, string>> {
      const ends = Object.entries(this.record().tasks).map(([id, { end }]) => {
        const merge = end?.merge === undefined ? '' : ` merge ${end.merge.kind}`
        return [id, end === undefined ? 'begun' : `${end.outcome}/${end.ending}${merge}`]
      })
      return Object.fromEntries(ends)
    },
    worktrees: (): readonly string[] => {
      const folder = join(project.journalDir(), 'backlog', 'worktrees')
      return existsSync(folder) ? readdirSync(folder).sort() : []
    },
    /** The files of a branch. */
    filesOf: (branch: string): readonly string[] =>
      project.git('ls-tree', '-r', '--name-only', branch).trim().split('\n'),
    async noted(pattern: RegExp): Promise<void> {
      await expect.poll(() => log().join('\n'), { timeout: patience(90_000), interval: 20 }).toMatch(pattern)
    },
    /** Everything in the user's working tree and repository that must not change by a byte. */
    own(): string {
      const git = (...args: readonly string[]): string => project.git(...args)
      const index = readFileSync(join(project.dir, '.git', 'index')).toString('hex')
      const files = readdirSync(project.dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes('/.git/'))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path) => `${path} ${readFileSync(path).toString('hex')}`)
      return [index, git('rev-parse', 'HEAD'), git('stash', 'list'), git('branch', '--show-current'), ...files].join(
        '\n',
      )
    },
  }
}
