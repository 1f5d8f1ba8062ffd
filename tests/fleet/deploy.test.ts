import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readWorkerFile } from '../../src/fleet/worker-file.ts'
import { root } from '../source-tree.ts'

const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8')

interface Service {
  readonly networks: readonly string[]
  readonly ports?: unknown
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_signal?: string
}

describe('deploy/', () => {
  it('has a worker file that workers accept', async () => {
    const { queues } = await readWorkerFile(read('worker.yaml'), 'worker.yaml')
    expect(queues.main).toMatchObject({ secrets: ['ANTHROPIC_API_KEY'], agent: 'claude' })
  })

  it('has a compose file without secrets and with an internal database', () => {
    const { services, networks } = parse(read('compose.yaml')) as {
      services: Readonly<Record<string, Service>>
      networks: Readonly<Record<string, { internal?: boolean } | null>>
    }
    expect(networks.fleet?.internal).toBe(true)
    expect(services.postgres).toMatchObject({ networks: ['fleet'] })
    expect(Object.values(services).filter(({ ports }) => ports !== undefined)).toEqual([])
    expect(services.worker?.stop_signal).toBe('SIGTERM')
    const named = Object.values(services).flatMap(({ environment }) => Object.entries(environment ?? {}))
    expect(named.filter(([name]) => /PASSWORD|KEY|TOKEN/.test(name)).map(([, value]) => value)).toEqual([
      '/run/secrets/postgres-password',
    ])
  })

  it('has units that systemd accepts', ({ skip }) => {
    const here = spawnSync('systemd-analyze', ['--version'])
    skip(here.status !== 0, 'systemd-analyze is not installed')
    const dir = mkdtempSync(join(tmpdir(), 'exitgate-units-'))
    try {
      // Ignores whether the user and the program are installed.
      const unit = read('systemd/exitgate-worker@.service').replace(/^User=.*$/m, '')
      const file = join(dir, 'exitgate-worker@main.service')
      writeFileSync(file, unit)
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
      const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('exitgate-worker'))
      expect(about).toEqual([])
      expect(unit).toMatch(/^KillSignal=SIGTERM$/m)
      expect(unit).toMatch(/^TimeoutStopSec=30min$/m)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
