import { describe, expect, it } from 'vitest'
import { findTampering, type SourceView } from '../../src/evidence/tampering/index.ts'

const tree = (files: Readonly<Record<string, string>>): SourceView => ({
  paths: Object.keys(files),
  read: (path) => files[path],
})
const kinds = async (path: string, before: string, after: string) =>
  (await findTampering(tree({ [path]: before }), tree({ [path]: after })))
    .filter(({ severity }) => severity === 'block')
    .map(({ kind }) => kind)
const script = (verify: string) => JSON.stringify({ scripts: { verify } })

describe('a script that hides failures', () => {
  it.each([
    '(vitest run || true)',
    'vitest run || { true; }',
    'vitest run || { echo failed; }',
    'if ! vitest run; then echo x; fi',
    'if vitest run; then echo ok; fi',
    'vitest run; date',
    'vitest run; node scripts/report.js',
    'vitest run || node scripts/report.js',
    'echo "$(vitest run)"',
    'vitest run & wait',
    'trap "exit 0" EXIT; vitest run',
    'for i in 1 2; do vitest run || continue; done',
    'sh -c "vitest run || true"',
    'f() { vitest run; true; }; f',
    '! vitest run',
    'vitest run | node scripts/report.js',
  ])('%s', async (line) => {
    expect(await kinds('package.json', script('vitest run'), script(line))).toEqual(['exit-masked'])
  })

  it('a script that became too long or too complex to analyse', async () => {
    const padded = `${'echo start\n'.repeat(500)}vitest run || true\n`
    expect(await kinds('run.sh', 'vitest run\n', padded)).toEqual(['exit-masked'])
    const branches = Array.from({ length: 20 }, (_, i) => `if check${i}; then v${i}=1; fi`).join('; ')
    expect(await kinds('package.json', script('vitest run'), script(`${branches}; vitest run || true`))).toEqual([
      'exit-masked',
    ])
    expect(await kinds('run.sh', padded, `${padded}echo end\n`)).toEqual([])
  })

  it.each([
    'tsc && vitest run',
    '(cd . && vitest run)',
    '{ vitest run; }',
    'if ! vitest run; then echo failed; exit 1; fi',
    'rc=0; vitest run || rc=$?; node scripts/report.js; exit $rc',
    'vitest run || vitest run',
    'vitest run || exit 1',
    'bash -c "vitest run"',
    'set -e; vitest run; node scripts/report.js',
    'set -o pipefail; vitest run | tee log',
    'A=1 timeout 600 vitest run',
    'trap "rm -f tmp" EXIT; vitest run',
  ])('is not: %s', async (line) => {
    expect(await kinds('package.json', script('vitest run'), script(line))).toEqual([])
  })

  it.each([
    ['run.sh', '#!/bin/sh\nset -e\nvitest run\n', '#!/bin/sh\nset -e\nvitest run || {\n  echo failed\n}\n'],
    ['run.sh', '#!/bin/sh\nset -e\nvitest run\n', '#!/bin/sh\nset -e\nif ! vitest run; then\n  echo failed\nfi\n'],
    ['Makefile', 'verify:\n\tvitest run\n', 'verify:\n\tif vitest run; then echo ok; fi\n'],
    [
      '.github/workflows/ci.yml',
      'jobs:\n  a:\n    steps:\n      - run: vitest run\n',
      'jobs:\n  a:\n    steps:\n      - run: |\n          if ! vitest run; then\n            echo failed\n          fi\n',
    ],
  ])('in %s', async (path, before, after) => {
    expect(await kinds(path, before, after)).toContain('exit-masked')
  })
})
