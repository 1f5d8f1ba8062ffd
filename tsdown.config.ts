import { defineConfig } from 'tsdown'
import { pageParts } from './scripts/page-parts.mjs'

// The bootstrap builds into an empty folder next to dist, and moves it there when the build is complete.
const out = process.env.DIST ?? 'dist'
const common = { platform: 'node', target: 'node20.19', fixedExtension: false, clean: false } as const

/** Pure ASCII loads without decoding and takes half the memory. Only strings and patterns contain other characters. */
const ascii = {
  name: 'ascii',
  generateBundle(_options: unknown, bundle: Record<string, { code?: string | undefined }>): void {
    for (const chunk of Object.values(bundle)) chunk.code = chunk.code?.replace(/[^\x00-\x7f]/g, escaped)
  },
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The modules of `exitgate/core`, without those that only commands, agent processes and patterns need. */
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
    // Importing `exitgate/core` costs time for compiling its text and opening its files, so it is one small file.
    minify: true,
    outputOptions: {
      advancedChunks: { groups: [{ name: 'core-parts', test: (id) => coreParts.test(id) && !id.endsWith('.d.ts') }] },
    },
  },
  // The program is bundled as CommonJS. On Node 20, the ES module loader alone takes a quarter of a bare start (bench/cold-start),
  // and the program runs after every iteration. Users of the library never see this. Most of a start is compiling. So each frequent
  // command is its own file with only the code it uses, plus two shared files.
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
