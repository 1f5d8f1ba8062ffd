import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Preset } from '../../src/core/preset.ts'
import type { Policy } from '../../src/core/types.ts'

/** A temporary folder with these files, removed after the test. */
export function workspace(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-config-'))
  // Not a hook at module level: test files that share modules would register it only once.
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
  return dir
}

const noPolicy = (): Policy => {
  throw new Error('no test of this room decides anything')
}

/** Two small presets: one with its own defaults, variables and threshold, and one that sets nothing. */
export const presets: Readonly<Record<string, Preset>> = {
  default: { name: 'default', about: 'the plain one', defaults: {}, env: {}, policy: noPolicy },
  cub: {
    name: 'cub',
    about: 'one with its own variables',
    defaults: {
      breaker: { gateBlocked: 3, recovery: 'manual' },
      cub: { threshold: 4 },
      taskTypes: { research: { limits: { iterations: 20 } } },
    },
    env: { CUB_EXIT_THRESHOLD: 'cub.threshold', CUB_HOURS: 'limits.minutes*60', CUB_TOOLS: 'ralph.allowedTools' },
    threshold: 'cub.threshold',
    policy: noPolicy,
  },
}
