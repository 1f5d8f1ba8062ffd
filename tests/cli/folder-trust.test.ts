import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderDistrust } from '../../packages/exitgate/src/hooks/folder-trust.ts'
import { folder } from '../evidence/folders.ts'

const COPILOT = /^Copilot CLI skips hooks of this project/
const PI = /^newer versions of pi skip extensions of this project/

/** The files in the home of the user, in which `DIR` is the project and `ABOVE` the folder above it. */
const rows: [about: string, host: string, files: Readonly<Record<string, string>>, found: RegExp | undefined][] = [
  ['copilot without a list', 'copilot', {}, COPILOT],
  ['copilot that trusts it', 'copilot', { '.copilot/config.json': '{"trusted_folders": ["DIR"]}' }, undefined],
  [
    'copilot that trusts the folder above',
    'copilot',
    { '.copilot/config.json': '// note\n{"trustedFolders": ["ABOVE"]}' },
    undefined,
  ],
  [
    'copilot that trusts another folder',
    'copilot',
    { '.copilot/config.json': '{"trusted_folders": ["DIR-2"]}' },
    COPILOT,
  ],
  ['copilot with a broken file', 'copilot', { '.copilot/config.json': '{' }, COPILOT],
  ['pi without a list', 'pi', {}, PI],
  ['pi that trusts it', 'pi', { '.pi/agent/trust.json': '{"DIR": true}' }, undefined],
  ['pi that trusts the folder above', 'pi', { '.pi/agent/trust.json': '{"ABOVE": true}' }, undefined],
  ['pi that trusts only the folder above', 'pi', { '.pi/agent/trust.json': '{"ABOVE": true, "DIR": false}' }, PI],
  ['pi that trusts every folder', 'pi', { '.pi/agent/settings.json': '{"defaultProjectTrust": "always"}' }, undefined],
  ['grok, whose list is unknown', 'grok', {}, /^Grok skips hooks/],
  ['an agent without a list', 'claude', {}, undefined],
]

describe('the trust of an agent in the folder', () => {
  it.each(rows)('%s', (_about, host, files, found) => {
    const above = folder()
    const [dir, home] = [join(above, 'project'), join(above, 'home')]
    mkdirSync(dir)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), text.replaceAll('DIR', dir).replaceAll('ABOVE', above))
    }
    const distrust = folderDistrust(host, { dir, home, env: {} })
    if (found === undefined) expect(distrust).toBeUndefined()
    else expect(distrust?.text).toMatch(found)
  })
})
