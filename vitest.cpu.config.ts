import base from './vitest.config.ts'
export default { ...base, test: { ...base.test, setupFiles: ['/work/tools/cpu-setup.mjs'] } }
