import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { CLAIM, NODE_TESTS, runProject, WORK } from './run-project.ts'

/** Removes a test and keeps its prompts. */
const AGENT = `{ cat; echo; echo '=== end'; } >> "$HOME/prompts"
${WORK}kept=$(grep -v 'the second half' halves.test.js)
echo "$kept" > halves.test.js
${CLAIM}`

it('a finding has its id and command everywhere; accepted, it goes straight to the verdict', {
  timeout: patience(120_000),
}, async () => {
  const project = runProject(NODE_TESTS)
  const agent = project.agent(AGENT)
  const stopped = await project.run(['run', '--plain', '--allow-remote-control', '--', ...agent])
  expect(stopped.code, stopped.stdout + stopped.stderr).toBe(2)
  const { open } = JSON.parse((await project.run(['accept', '--json'])).stdout) as { open: { id: string }[] }
  const id = open[0]?.id ?? ''
  const command = `exitgate accept ${id} --reason "..."`
  const [first = '', second = ''] = stopped.stdout.split('iteration 2: the agent is working')
  expect(first).toContain(`If this is right, accept it: ${command}`)
  expect(second).toContain(`Stopped: needs your input. Only you can decide about 1 change to the tests: ${id}`)
  expect(second).toContain(`If this is right: ${command}, then exitgate run --resume`)
  const prompts = () => readFileSync(join(project.root, 'prompts'), 'utf8').split('=== end').slice(0, -1)
  expect(prompts()).toHaveLength(2)
  expect(prompts()[1]).toContain(`The user must decide about ${id}.`)
  expect((await project.run(['explain'])).stdout).toContain(command)
  expect((await project.run(['report', '--format', 'markdown'])).stdout).toContain(command)
  await project.run(['report'])
  expect(project.text('.exitgate/report.html')).toContain(command.replaceAll('"', '\\"'))

  const accepted = await project.run(['accept', id, '--reason', 'only one half is needed', '--by', 'Ada'])
  expect(accepted, accepted.stderr).toMatchObject({ code: 0 })
  const ran = await project.run(['run', '--resume', '--plain'])
  expect(ran.code, ran.stdout + ran.stderr).toBe(0)
  expect(prompts()).toHaveLength(2)
  expect(ran.stdout).toMatch(/Verified: .*1 of 1 test.* pass/)
  expect(ran.stdout).toContain('accepted by you: 1 test change (')
  expect(project.events().filter(({ type }) => type === 'accepted')).toMatchObject([
    { by: 'Ada', reason: 'only one half is needed', findings: [{ id }, { id }] },
  ])
  const report = (await project.run(['report', '--format', 'markdown'])).stdout
  expect(report).toMatch(/accepted .*Ada.*only one half is needed|Ada.*accepted .*only one half is needed/s)
})
