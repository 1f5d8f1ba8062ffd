import { defineConfig } from 'tsdown'

const common = { platform: 'node', target: 'node20.19', fixedExtension: false } as const

export default defineConfig([
  { ...common, entry: { index: 'src/index.ts' }, format: 'esm', dts: true, clean: true },
  // The program itself is bundled as CommonJS: on Node 20 the ES module loader alone costs a quarter of a bare start
  // (bench/cold-start), and the program runs after every iteration. Users of the library never see this.
  {
    ...common,
    entry: { cli: 'src/cli/program.ts' },
    format: 'cjs',
    dts: false,
    clean: false,
    outDir: 'dist/cli',
    shims: true,
  },
])
