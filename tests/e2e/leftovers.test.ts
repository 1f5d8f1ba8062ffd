import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chooseSandbox } from '../../src/system/sandbox/choose.ts'
import { patience } from '../timing.ts'
import { CLAIM, HALVES, processesOf, runProject, WORK } from './run-project.ts'

type Project = ReturnType<typeof runProject>

/** Everything in the temporary folder, and in the folders for copies of projects. Node keeps its compile cache there too. */
function left({ temp, state }: Project): readonly string[] {
  const rooms = existsSync(state)
    ? readdirSync(state).flatMap((name) => namesIn(join(state, name, 'rooms')).map((room) => `${name}/rooms/${room}`))
    : []
  return [...namesIn(temp).filter((name) => name !== 'node-compile-cache'), ...rooms]
}
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

const sandboxes = ['off', ...(chooseSandbox({ mode: 'auto', env: process.env }).sandbox === undefined ? [] : ['auto'])]

describe.each(sandboxes)('no copy of the project is left (sandbox: %s) by', (mode) => {
  const env = { EXITGATE_SANDBOX: mode }
  const said = '../said'
  type Row = [name: string, isDone: boolean, calls: readonly (readonly string[])[], codes: readonly number[]]
  const rows: Row[] = [
    ['a check of a false claim', false, [['check', '--claim']], [10]],
    [
      'two checks of a true claim',
      true,
      [
        ['check', '--claim'],
        ['check', '--claim'],
      ],
      [0, 0],
    ],
    ['a check without a claim', true, [['check']], [10]],
    ['a loop', true, [['next'], ['next', '--transcript', said]], [0, 0]],
    ['a run that is not done', false, [['run', '--plain', '--max-iterations', '2', '--', 'sh', '-c', CLAIM]], [2]],
    ['a verified run', false, [['run', '--plain', '--', 'sh', '-c', WORK + CLAIM]], [0]],
  ]
  it.each(rows)('%s', async (_, isDone, calls, codes) => {
    const project = runProject()
    if (isDone) for (const name of ['first.txt', 'second.txt']) project.write(name, 'done')
    project.write(said, 'EXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n')
    const ran = []
    for (const call of calls) ran.push(await project.run(call, env))
    const texts = ran.map(({ stdout, stderr }) => stdout + stderr)
    expect(
      ran.map(({ code }) => code),
      texts.join('\n'),
    ).toEqual(codes)
    expect(left(project)).toEqual([])
  })
})

describe('the copies of a killed command', () => {
  /** The tests wait as long as the file `slow` exists. */
  const slow = ({ root }: Project) => `: > ${root}/testing\nwhile [ -e ${root}/slow ]; do sleep 0.05; done\n${HALVES}`

  const rows: [name: string, args: (project: Project) => readonly string[]][] = [
    ['check', () => ['check', '--claim']],
    ['run', (project) => ['run', '--plain', '--', ...project.agent(WORK + CLAIM)]],
  ]
  it.each(rows)('%s: are removed by any command in another project, but not while it runs', async (_, args) => {
    const [project, other] = [runProject(), runProject()]
    const shared = { TMPDIR: project.temp, EXITGATE_STATE_DIR: project.state }
    project.write('halves.sh', slow(project))
    writeFileSync(join(project.root, 'slow'), '')
    const { child, done } = await project.start(args(project))
    await expect.poll(() => existsSync(join(project.root, 'testing')), { timeout: patience(60_000) }).toBe(true)
    const copies = left(project)
    expect(copies.join()).toMatch(/exitgate-room-/)
    expect((await other.run(['status'], shared)).code).toBe(0)
    expect(left(project)).toEqual(copies)
    child.kill('SIGKILL')
    await done
    rmSync(join(project.root, 'slow'))
    await expect.poll(() => processesOf(project.root), { timeout: patience(30_000) }).toEqual([])
    expect((await other.run(['status'], shared)).code).toBe(0)
    expect(left(project)).toEqual([])
  })
})
