import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { STOPS } from '../integrations/hook-project.ts'
import { patience } from '../timing.ts'
import { program } from './program.ts'
import { runProject } from './run-project.ts'

/** A check and a rule in code. `required` lists the check, so completing depends on it. */
const CODE = `export default {
  required: ['tests', 'notes'],
  checks: [{ name: 'notes', run: ({ read }) => ({ answer: read('notes.txt') !== undefined, detail: 'notes.txt is missing.' }) }],
  rules: [{
    name: 'third-time',
    when: ({ iteration }) => ({ name: 'third-time', answer: iteration >= 3 ? 'yes' : 'no', detail: 'iteration ' + iteration }),
    decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
  }],
}
`
const CHANGED = CODE.replace('iteration >= 3', 'iteration >= 1')
const AGENT = `#!/bin/sh
echo $EXITGATE_ITERATION > first.txt
printf 'All done.\\n\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n'
`

// The run that these rows look at is made once. Each row gets a copy of it in the same place.
let begun: Promise<ReturnType<typeof runProject>> | undefined
const savedOf = ({ root }: { readonly root: string }): string => `${root}-saved`
afterAll(async () => {
  const project = await begun
  if (project !== undefined)
    for (const folder of [project.root, savedOf(project)]) rmSync(folder, { recursive: true, force: true })
})

/** A run ended by the custom rule, after the custom check rejected three claims. */
async function ended() {
  begun ??= makeEnded()
  const project = await begun
  rmSync(project.root, { recursive: true, force: true })
  cpSync(savedOf(project), project.root, { recursive: true, preserveTimestamps: true })
  return project
}

async function makeEnded() {
  const project = runProject({ 'exitgate.config.mjs': CODE })
  const ran = await project.run(['run', '--plain', '--', ...project.agent(AGENT)])
  expect(ran.code, ran.stdout + ran.stderr).toBe(2)
  renameSync(project.root, savedOf(project))
  return project
}

const sentence = /this decision used configuration code \(content [0-9a-f]{12}\) that has changed or is missing/

describe('a run with custom code, in a later process', { timeout: patience(240_000) }, () => {
  it('is explained, replayed and reported with the same code', async () => {
    const { run } = await ended()
    const explained = await run(['explain', '--json'])
    expect([explained.code, explained.stderr]).toEqual([0, ''])
    expect(JSON.parse(explained.stdout)).toMatchObject({ rule: 'third-time', ending: 'needs-human', same: true })
    expect(await run(['replay'])).toMatchObject({ code: 0, stdout: '3 decisions of 1 run: all the same\n', stderr: '' })
    const tested = await run(['backtest', '--set', 'limits.iterations=2', '--json'])
    expect(JSON.parse(tested.stdout)).toMatchObject({ runs: [{ known: true, alternative: { ending: 'iterations' } }] })
    const report = JSON.parse((await run(['report', '--json'])).stdout) as {
      readonly iterations: readonly { readonly trace?: readonly { readonly name: string }[] }[]
    }
    expect(report.iterations.at(-1)?.trace?.map(({ name }) => name)).toContain('third-time')
  })

  it.each([
    ['changed', CHANGED, 0],
    ['gone', undefined, 0],
    ['broken', '}', 64],
  ])('is shown as recorded when its code is %s', async (_how, text, learned) => {
    const { dir, run, write } = await ended()
    if (text === undefined) rmSync(join(dir, 'exitgate.config.mjs'))
    else write('exitgate.config.mjs', text)
    const explained = await run(['explain'])
    expect([explained.code, explained.stderr]).toEqual([1, ''])
    expect(explained.stdout).toMatch(/^Stopped: needs your input\. Iteration 3\./)
    expect(explained.stdout).toMatch(sentence)
    const { recorded, cannotTell } = JSON.parse((await run(['explain', '2', '--json'])).stdout)
    expect(recorded).toMatchObject({ action: 'continue' })
    expect(cannotTell).toMatch(sentence)
    const replayed = await run(['replay'])
    expect([replayed.code, replayed.stderr]).toEqual([1, ''])
    expect(replayed.stdout).toMatch(/3 can't be repeated: the project's own code has changed or is missing/)
    expect(JSON.parse((await run(['replay', '--json'])).stdout)).toMatchObject({ decisions: 0, changedCode: 3 })
    const tested = await run(['backtest', '--preset', 'cub'])
    expect([tested.code, tested.stderr]).toEqual([0, ''])
    expect(tested.stdout).toMatch(/cannot tell for 1 run: .*exitgate can't repeat it/)
    for (const args of [
      ['report', '--json'],
      ['report', '--format', 'markdown'],
      ['state', '--json'],
      ['state', '--verify'],
      ['history', '--events'],
      ['history', '--stats', '--json'],
      ['label', 'last', 'bad', '--reason', 'it is not done'],
      ['history', '--all', '--stats'],
    ]) {
      const { code, stdout, stderr } = await run(args)
      expect([args, code, stderr]).toEqual([args, 0, ''])
      expect(stdout).not.toBe('')
    }
    // `learn` reads the current configuration, so it reports a broken one.
    expect(await run(['learn', '--json'])).toMatchObject({ code: learned })
  })

  it('can be resumed with the same code, not with changed code', async () => {
    const project = runProject({ 'exitgate.config.mjs': CODE })
    const { run, write } = project
    const agent = ['--', ...project.agent(AGENT)]
    expect(await run(['run', '--plain', '--max-iterations', '1', ...agent])).toMatchObject({ code: 2 })
    write('exitgate.config.mjs', CHANGED)
    const refused = await run(['run', '--plain', '--resume', '--max-iterations', '5', ...agent])
    expect(refused).toMatchObject({ code: 64, stdout: '' })
    expect(refused.stderr).toMatch(
      /the unfinished run in this folder uses configuration code \(content [0-9a-f]{12}\) that has changed .*Restore that code/,
    )
    write('exitgate.config.mjs', CODE)
    const resumed = await run(['run', '--plain', '--resume', '--max-iterations', '5', ...agent])
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(2)
    const last = project.events().findLast((event) => event.type === 'iteration.decided')
    expect(last).toMatchObject({ iteration: 3, verdict: { rule: 'third-time' } })
  })

  it('can be forced with the same code', async () => {
    const project = runProject({ 'exitgate.config.mjs': CODE })
    const agent = ['--', ...project.agent(AGENT)]
    await project.run(['run', '--plain', '--max-iterations', '1', ...agent])
    const FORCE = ['force', '--reason', 'it is good enough']
    const asked = await project.run(FORCE)
    const [, file = ''] = /a code was written to (.*)\. Repeat the command/.exec(asked.stderr) ?? []
    const forced = await project.run([...FORCE, '--code', readFileSync(file, 'utf8').split('\n')[0] ?? ''])
    expect(forced, forced.stderr).toMatchObject({ code: 0, stderr: '' })
  })

  it('applies the same custom checks to a goal in a stop hook', async () => {
    const { dir, env, run, write } = runProject({ 'exitgate.config.mjs': CODE })
    const path = await program()
    const stop = (message: string) => {
      const input = JSON.stringify(STOPS.claude?.(dir, message))
      const asked = spawnSync(process.execPath, [path, 'hook', 'claude'], { cwd: dir, env, input, encoding: 'utf8' })
      return asked.stdout === '' ? {} : (JSON.parse(asked.stdout) as Readonly<Record<string, unknown>>)
    }
    const claim = 'It works.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: it works\nREMAINING_WORK: none\n'
    const begun = await run(['goal', 'start', 'Make the tests pass'])
    expect(begun.code, begun.stderr).toBe(0)
    for (const name of ['first.txt', 'second.txt']) write(name, 'done')
    const refusal = (text: string) => ({ hookSpecificOutput: { additionalContext: expect.stringContaining(text) } })
    expect(stop(claim)).toMatchObject(refusal('notes.txt is missing.'))
    write('exitgate.config.mjs', 'export default {}')
    expect(stop(claim)).toMatchObject(refusal('Restore that code'))
    write('exitgate.config.mjs', CODE)
    write('notes.txt', 'done')
    const last = stop(claim)
    expect(last.hookSpecificOutput).toBeUndefined()
    expect(last.systemMessage).toMatch(/^exitgate: Verified: the agent reported COMPLETE, /)
  })
})
