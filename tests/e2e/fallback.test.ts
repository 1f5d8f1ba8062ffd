import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { runProject, WORK } from './run-project.ts'

/** Programs with the names of the agents, which print what the real ones print. */
function installAgents(root: string, programs: Readonly<Record<string, string>>): string {
  const bin = join(root, 'bin')
  mkdirSync(bin)
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

const LIMITED = `echo '{"type":"system","subtype":"init","session_id":"5e551011-0000-4000-8000-000000000001"}'
cat << END
{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your session limit · resets in 4h","session_id":"5e551011-0000-4000-8000-000000000001"}
END
exit 1
`
const WORKS = String.raw`${WORK}echo '{"type":"thread.started","thread_id":"t"}'
printf '%s\n' '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"EXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5}}'
`

it('a run whose agent is out of quota is finished by the fallback', { timeout: patience(60_000) }, async () => {
  const project = runProject()
  const bin = installAgents(project.root, { claude: LIMITED, codex: WORKS })
  const args = ['run', '--agent', 'claude', '--fallback-agent', 'codex', '--max-iterations', '3']
  const { code, stdout, stderr } = await project.run(args, { PATH: `${bin}:${process.env.PATH}` })
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toMatch(/codex/)
  const events = project.events()
  expect(events.find(({ type }) => type === 'agent.switched')).toMatchObject({ to: 'fallback' })
  expect(events.find(({ type }) => type === 'run.ended')).toMatchObject({ outcome: 'completed', ending: 'verified' })
})
