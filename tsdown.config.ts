import { fileURLToPath } from 'node:url'
import type { ModuleInfo } from 'rolldown'
import { defineConfig } from 'tsdown'
import { pageParts } from './scripts/page-parts.mjs'

// The bootstrap builds into an empty folder next to dist, and moves it there when the build is complete.
const out = process.env.DIST ?? 'dist'
const common = { platform: 'node', target: 'node20.19', fixedExtension: false, clean: false } as const

/** The modules of `exitgate/core`, without those that only commands, agent processes and patterns need. */
const coreParts =
  /src\/(?:core\/(?!signals\/(?:user-patterns|read-signals))|agents\/(?!launch|live|price|error-advice)|backtest\/|learning\/brier|config\/(?:project-config|defaults|errors|fingerprint|merge|nearest|validate|schema|leaves)|evidence\/(?:given-|checks\/(?:checklist|markdown-blocks))|journal\/decide-and-record|library\/(?:decider|evidence-input))|node_modules\/valibot\//

let partOf: ReadonlyMap<string, string> | undefined

/** Which file of the program a module goes to. A part takes what it imports along, except what an earlier part has. */
function partition(infoOf: (id: string) => ModuleInfo | null): ReadonlyMap<string, string> {
  const parts = new Map<string, string>()
  const take = (id: string, name: string): void => {
    if (parts.has(id)) return
    parts.set(id, name)
    for (const each of infoOf(id)?.importedIds ?? []) take(each, name)
  }
  const all = new Set([fileURLToPath(new URL('src/cli/program.ts', import.meta.url))])
  for (const id of all) {
    const { importedIds = [], dynamicallyImportedIds = [] } = infoOf(id) ?? {}
    for (const each of [...importedIds, ...dynamicallyImportedIds]) all.add(each)
  }
  for (const [name, test] of partsWithImports) for (const id of all) if (test.test(id)) take(id, name)
  return parts
}

const partsWithImports: readonly (readonly [string, RegExp])[] = [
  [
    'cli',
    /src\/cli\/program\.ts$|rolldown\/runtime|src\/(?:system\/(?:digest|files|awake-clock)|journal\/(?:place|errors)|cli\/parse)\.ts$/,
  ],
  ['hook', /src\/cli\/commands\/hook\.ts$/],
  ['signals', /src\/core\/signals\/read-signals\.ts$/],
  ['policy', /src\/core\/presets\/default\.ts$/],
  ['seldom', /src\/core\/presets\/(?:cub|prp|doyaken|blackbox|gsd|ralph)\.ts$/],
  ['verdict-text', /src\/reports\/verdict-text\.ts$/],
  ['check', /src\/cli\/commands\/(?:check|next)\.ts$/],
]

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
    // Importing `exitgate/core` costs time for compiling its text and opening its files, so it is one small file. It keeps its line
    // breaks, because Node prints the line of an uncaught error.
    minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
    outputOptions: {
      codeSplitting: { groups: [{ name: 'core-parts', test: (id) => coreParts.test(id) && !id.endsWith('.d.ts') }] },
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
    noExternal: ['valibot', 'unbash', 'yaml', 'jsonc-parser', 'picomatch'],
    // Their default forms for Node are many small files.
    alias: {
      yaml: fileURLToPath(new URL('node_modules/yaml/browser/index.js', import.meta.url)),
      'jsonc-parser': fileURLToPath(new URL('node_modules/jsonc-parser/lib/esm/main.js', import.meta.url)),
    },
    plugins: [pageParts()],
    outputOptions: {
      chunkFileNames: '[name].cjs',
      // import() would load the ES module loader.
      dynamicImportInCjs: false,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          {
            name(id, context) {
              partOf ??= partition((each) => context.getModuleInfo(each))
              return partOf.get(id) ?? null
            },
          },
        ],
      },
    },
  },
])
