import { defineConfig } from 'tsdown'
import { pageParts } from './scripts/page-parts.mjs'

// The bootstrap builds in an empty folder beside dist and moves it there when all of it is done.
const out = process.env.DIST ?? 'dist'
const common = { platform: 'node', target: 'node20.19', fixedExtension: false, clean: false } as const

/** Pure ASCII is read without decoding and takes half the memory. Outside of strings and patterns the sources have nothing else. */
const ascii = {
  name: 'ascii',
  generateBundle(_options: unknown, bundle: Record<string, { code?: string | undefined }>): void {
    for (const chunk of Object.values(bundle)) chunk.code = chunk.code?.replace(/[^\x00-\x7f]/g, escaped)
  },
}

/** All parts but the launcher are what it makes of them: functions of the names that a module has. */
const wrapped = {
  name: 'wrapped',
  generateBundle(_options: unknown, bundle: Record<string, { code?: string | undefined }>): void {
    for (const [name, part] of Object.entries(bundle))
      if (name !== 'cli.cjs')
        part.code = `(function (exports, require, module, __filename, __dirname) {${part.code}\n})\n`
  },
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

export default defineConfig([
  { ...common, entry: { index: 'src/index.ts' }, format: 'esm', dts: true, outDir: out },
  // The program itself is bundled as CommonJS: on Node 20 the ES module loader alone costs a quarter of a bare start
  // (bench/cold-start), and the program runs after every iteration. Users of the library never see this. What `check` and `next`
  // need is one chunk, which src/cli/launch.ts starts from its compiled form.
  {
    ...common,
    entry: { cli: 'src/cli/launch.ts', program: 'src/cli/program.ts' },
    format: 'cjs',
    dts: false,
    outDir: `${out}/cli`,
    shims: true,
    minify: true,
    noExternal: ['valibot', 'unbash'],
    plugins: [pageParts(), ascii, wrapped],
    outputOptions: {
      chunkFileNames: '[name].cjs',
      // What the launcher has compiled can ask for a library only by require: for import() there is nobody to answer.
      dynamicImportInCjs: false,
      advancedChunks: { groups: [{ name: 'program', test: /src\/cli\/program\.ts$/ }] },
    },
  },
])
