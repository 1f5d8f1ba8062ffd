import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { read } from '../../src/core/signals/read.ts'
import { missingAgent } from './installed.ts'
import type { Turn } from './model/turn.ts'
import { agentNamed, openRig, type Rig } from './rig.ts'
import { EVERYWHERE, type Row } from './rows.ts'

/** Agents take seconds to start, more on a loaded machine. */
const PATIENCE_MS = 180_000

/** Runs a real agent through its rows. If it isn't installed, they are skipped with instructions. */
export function play(agent: string, rows: readonly Row[], { reportsTokens = true, resumes = true } = {}): void {
  describe(agent, { timeout: PATIENCE_MS }, () => {
    const missing = missingAgent(agent)

    it.for([...EVERYWHERE, ...rows])('$about', async (row, { skip }) => {
      skip(missing !== undefined, missing)
      const rig = await open(agent, row.turns)
      for (const [path, text] of Object.entries(row.files ?? {})) put(join(rig.workspace, path), text)
      const { prompt, args, env } = row
      const run = await rig.run({ ...(prompt && { prompt }), ...(args && { args }) }, { ...(env && { env }) })
      const { transcript } = run
      expect(transcript.final, run.stdout + run.stderr).toContain(row.final)
      expect(transcript.errors.map(({ kind }) => kind)).toEqual(row.kinds ?? [])
      if (row.resetAt !== undefined) expect(transcript.errors[0]?.resetAt).toBe(row.resetAt)
      expect(read(transcript).claim).toBe(row.claim)
      expect(transcript).toMatchObject({ format: agentNamed(agent), finished: true, problems: [] })
      expect(transcript.session).toMatch(/^[\w-]{20,}$/)
      const denials = transcript.denials.map((denial) => denial.replace(`${rig.workspace}/`, ''))
      expect(denials).toEqual(row.denials ?? [])
      if (row.tokens !== undefined && reportsTokens) expect(transcript.usage.tokens).toBe(row.tokens)
      if (row.usd !== undefined) expect(transcript.usage.usd).toBeCloseTo(row.usd, 9)
      if (row.seen !== undefined) expect(rig.model.requests.at(-1)!.raw).toContain(row.seen)
      if (row.absent !== undefined) expect(existsSync(join(rig.workspace, row.absent))).toBe(false)
    })

    it('resumes a session by its id, and starts a new one without it', async ({ skip }) => {
      skip(missing !== undefined, missing)
      skip(!resumes, `${agent} resumes a session only with its own server`)
      const rig = await open(agent, [{ text: 'The spout leaks.' }])
      const first = await rig.run({})
      const { session } = first.transcript
      const second = await rig.run({ prompt: 'And the toaster?', session: session! })
      expect(second.transcript).toMatchObject({ session, final: 'The spout leaks.', finished: true })
      expect(rig.model.requests.at(-1)!.raw).toMatch(/Repair the kettle[\s\S]*The spout leaks[\s\S]*And the toaster\?/)
      const third = await rig.run({ prompt: 'And the lamp?' })
      expect(third.transcript.session).not.toBe(session)
      expect(rig.model.requests.at(-1)!.raw).not.toContain('The spout leaks')
    })

    it.for(['SIGTERM', 'SIGKILL'] as const)(
      'is not finished when %s ends it in the middle of a turn',
      async (signal, { skip }) => {
        skip(missing !== undefined, missing)
        const rig = await open(agent, [{ text: 'EXIT_STATUS: COMPLETE', tools: [{ shell: 'true' }] }, { silent: true }])
        const { transcript } = await rig.run({}, { started: (kill) => rig.model.received(2).then(() => kill(signal)) })
        // Some agents print a tool call only later, so the claim may be the last text. The transcript still shows that it was cut
        // off.
        expect(transcript).toMatchObject({ format: agentNamed(agent), finished: false, errors: [] })
      },
    )
  })
}

async function open(agent: string, turns: readonly Turn[]): Promise<Rig> {
  const rig = await openRig(agent, turns)
  onTestFinished(() => rig.close())
  return rig
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
