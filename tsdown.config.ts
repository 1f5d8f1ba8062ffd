import { defineConfig } from 'tsdown'

// The bootstrap builds in an empty folder beside dist and moves it there when all of it is done.
const out = process.env.DIST ?? 'dist'
const common = { platform: 'node', target: 'node20.19', fixedExtension: false, clean: false } as const

export default defineConfig([
  { ...common, entry: { index: 'src/index.ts' }, format: 'esm', dts: true, outDir: out },
  // The program itself is bundled as CommonJS: on Node 20 the ES module loader alone costs a quarter of a bare start
  // (bench/cold-start), and the program runs after every iteration. Users of the library never see this.
  {
    ...common,
    entry: { cli: 'src/cli/program.ts' },
    format: 'cjs',
    dts: false,
    outDir: `${out}/cli`,
    shims: true,
  },
])
