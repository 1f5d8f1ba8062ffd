// Regenerates config.schema.json, the generated parts of the docs, and what follows from package.json, with the tests that compare them.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    'tests/config/schema.test.ts',
    'tests/docs-generated.test.ts',
    'tests/version.test.ts',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, UPDATE_GOLDEN: '1' } },
)
process.exitCode = status ?? 1
