import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { endWith, recordingsFile, recordingsOf, told } from './recorded-errors.ts'

/** tests/real-agents/errors.test.ts records what the real agents print. */
const AGENTS = readdirSync(dirname(recordingsFile('claude')))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''))

it.each(AGENTS)('the ending, the reason and the advice of each error of %s', async (agent) => {
  const { cases, version } = recordingsOf(agent)
  const parts: string[] = []
  for (const [name, recording] of Object.entries(cases)) parts.push(told(name, await endWith(agent, recording)))
  const text = `${agent} ${version}\n\n${parts.join('\n')}`
  const file = join(dirname(recordingsFile(agent)), `${agent}.txt`)
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, text)
  expect(text).toBe(readFileSync(file, 'utf8'))
})
