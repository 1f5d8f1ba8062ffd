import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../src/cli/help-pages.ts'
import { DONE, project } from './cli/run-cli.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = (language: string): readonly string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text ?? '')

describe('what the README shows', () => {
  it('the library example runs and prints what it says', async () => {
    const [example = ''] = blocks('ts')
    const library = pathToFileURL(join(import.meta.dirname, '../src/index.ts')).href
    const folder = mkdtempSync(join(tmpdir(), 'exitgate-readme-'))
    try {
      const file = join(folder, 'example.ts')
      writeFileSync(file, `${example.replace("'exitgate'", JSON.stringify(library))}\nexport { verdict }\n`)
      const { verdict } = await import(file)
      expect(`${verdict.action} ${verdict.rule}`).toBe(
        /console\.log\(verdict\.action, verdict\.rule\) \/\/ (.*)/.exec(example)?.[1],
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('the evidence example completes a claim', async () => {
    const [evidence = ''] = blocks('json')
    const { run } = project({ 'agent.log': DONE, 'evidence.json': evidence })
    expect((await run(['check', '--transcript', 'agent.log', '--evidence', 'evidence.json', '--json'])).code).toBe(0)
  })

  it('every option in its commands is one the program knows', () => {
    const commands = blocks('sh').flatMap((block) => [...block.matchAll(/exitgate (\w+)([^\n;|]*)/g)])
    expect(commands.length).toBeGreaterThan(2)
    for (const [, command = '', rest = ''] of commands)
      for (const [option] of rest.matchAll(/--[\w-]+/g)) expect(PAGES[command]).toContain(option)
  })
})
