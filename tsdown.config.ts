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

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What `exitgate/core` is made of, without what only commands, agents' processes and patterns need. */
const coreParts =
  /src\/(?:core\/(?!signals\/(?:user-patterns|read-signals))|agents\/(?!launch|live|price)|backtest\/|learning\/brier|config\/(?:project-config|defaults|errors|fingerprint|merge|nearest|validate|schema|leaves)|evidence\/(?:given-|checks\/(?:checklist|markdown-blocks))|journal\/decide-and-record|library\/(?:decider|evidence-input))|node_modules\/valibot\//

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      'ai-sdk': 'src/library/ai-sdk.ts',
      core: 'src/library/core.ts',
      node: 'src/library/node.ts',
      'test-output': 'src/library/test-output.ts',
      testing: 'src/library/testing.ts',
    },
    format: 'esm',
    dts: true,
    outDir: out,
    noExternal: ['valibot'],
    plugins: [ascii],
    // Importing `exitgate/core` costs mostly what its text costs to compile and its files to open: one small file.
    minify: true,
    outputOptions: {
      advancedChunks: { groups: [{ name: 'core-parts', test: (id) => coreParts.test(id) && !id.endsWith('.d.ts') }] },
    },
  },
  // The program itself is bundled as CommonJS: on Node 20 the ES module loader alone costs a quarter of a bare start
  // (bench/cold-start), and the program runs after every iteration. Users of the library never see this. Compiling its text is most of
  // a start, so the commands that run often are a file each, with nothing in it that they do not use, and share two more.
  {
    ...common,
    entry: { cli: 'src/cli/program.ts' },
    format: 'cjs',
    dts: false,
    outDir: `${out}/cli`,
    shims: true,
    minify: true,
    noExternal: ['valibot', 'unbash'],
    plugins: [pageParts(), ascii],
    outputOptions: {
      chunkFileNames: '[name].cjs',
      // import() would load the ES module loader.
      dynamicImportInCjs: false,
      advancedChunks: {
        groups: [
          {
            name: 'cli',
            test: /src\/cli\/program\.ts$|rolldown\/runtime|src\/(?:system\/(?:digest|files)|journal\/(?:place|errors)|cli\/parse)\.ts$/,
            priority: 4,
          },
          { name: 'signals', test: /src\/core\/signals\/read-signals\.ts$/, priority: 3 },
          { name: 'check', test: /src\/cli\/commands\/(?:check|next)\.ts$/, priority: 2 },
          { name: 'hook', test: /src\/cli\/commands\/hook\.ts$/, priority: 1 },
        ],
      },
    },
  },
])
