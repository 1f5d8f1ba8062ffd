import { fileURLToPath } from 'node:url'
import type { ModuleInfo } from 'rolldown'
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

/**
 * A chunk loads another one, or a part of Node, when it first uses it, not when it is loaded itself. Most of a start is compiling, and
 * a command uses a small part of what it imports. Only the bundler writes names like `require_check` and `node_crypto`, so they can be
 * replaced as text.
 */
const loadOnUse = {
  name: 'load-on-use',
  renderChunk(code: string): string {
    const found = code.matchAll(/^(?:const|let) (require_[\w$]+|node_[\w$]+) = (require\(['"]([^'"]+)['"]\));$/gm)
    // Loading the bundler's own file for this one function takes longer than repeating it.
    const withNames = code.replaceAll(
      /(?<=^var [\w$]+_exports[\w$]* = \/\* @__PURE__ \*\/ )require_rolldown_runtime\.[\w$]+(?=\(\{)/gm,
      '((getters) => Object.defineProperties({}, Object.fromEntries(Object.entries(getters).map(([name, get]) => [name, { get, enumerable: true }]))))',
    )
    return [...found].reduce((text, [line, name, load, id]) => {
      // Node itself has loaded these two already. A name that is assigned again is not only read.
      if (id === 'node:fs' || id === 'node:path' || text.includes(`\n${name} = `)) return text
      return text
        .replace(line, () => `let loaded_${name}; const ${name} = () => (loaded_${name} ??= ${load});`)
        .replaceAll(new RegExp(`(?<![\\w$])${name!.replaceAll('$', '\\$')}\\.`, 'g'), () => `(${name}()).`)
    }, withNames)
  },
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The modules of `exitgate/core`, without those that only commands, agent processes and patterns need. */
const coreParts =
  /src\/(?:core\/(?!signals\/(?:user-patterns|read-signals))|agents\/(?!launch|live|price|error-advice)|backtest\/|learning\/brier|config\/(?:project-config|defaults|errors|fingerprint|merge|nearest|validate|schema|leaves)|evidence\/(?:given-|checks\/(?:checklist|markdown-blocks))|journal\/decide-and-record|library\/(?:decider|evidence-input))|node_modules\/valibot\//

let partOf: ReadonlyMap<string, string> | undefined

/** Which file of the program a module goes to. A part takes what it imports along, except what an earlier part has. */
function partition(infoOf: (id: string) => ModuleInfo | null): ReadonlyMap<string, string> {
  const parts = new Map<string, string>()
  const take = (id: string, name: string, withImports: boolean): void => {
    if (parts.has(id)) return
    parts.set(id, name)
    if (withImports) for (const each of infoOf(id)?.importedIds ?? []) take(each, name, true)
  }
  const all = new Set([fileURLToPath(new URL('src/cli/program.ts', import.meta.url))])
  for (const id of all) {
    const { importedIds = [], dynamicallyImportedIds = [] } = infoOf(id) ?? {}
    for (const each of [...importedIds, ...dynamicallyImportedIds]) all.add(each)
  }
  for (const [name, test] of ownParts) for (const id of all) if (test.test(id)) take(id, name, false)
  for (const [name, test] of partsWithImports) for (const id of all) if (test.test(id)) take(id, name, true)
  return parts
}

/** Most commands don't need these parts. No other file may use them while it is loaded itself. */
const ownParts: readonly (readonly [string, RegExp])[] = [
  [
    'test-code',
    /src\/evidence\/tampering\/(?:tests|assertions|source\/(?!unit)|compare\/(?!tests|removed-|skips)|dependencies\/(?!index))/,
  ],
  ['red-proof', /src\/evidence\/(?:red-proof\/(?!plan|roles|owner|sweep)|clean-room\/put-file)/],
  ['special-cased', /src\/evidence\/(?:mutation\/|special-cased\/(?!confirm|find|kinds|node))/],
  ['documents', /src\/evidence\/documents\//],
  ['canary', /src\/evidence\/canary\/(?!break-test|index)/],
  ['screen', /src\/(?:reports\/live\/(?:blocks\/|frame|help|ui-keys)|cli\/live\/(?:screen|ask-))/],
  ['exit-status', /src\/system\/shell\/(?!commands)/],
  ['acp', /src\/loop\/agent\/acp/],
  ['older', /src\/compat\/(?!index|types)/],
  ['yaml', /node_modules\/yaml\//],
  ['jsonc', /node_modules\/jsonc-parser\//],
  ['shell', /node_modules\/unbash\/|src\/system\/shell\//],
]

const partsWithImports: readonly (readonly [string, RegExp])[] = [
  [
    'cli',
    /src\/cli\/program\.ts$|rolldown\/runtime|src\/(?:system\/(?:digest|files|awake-clock)|journal\/(?:place|errors)|cli\/parse)\.ts$/,
  ],
  ['signals', /src\/core\/signals\/read-signals\.ts$/],
  ['policy', /src\/core\/presets\/default\.ts$/],
  ['seldom', /src\/core\/presets\/(?:cub|prp|doyaken|blackbox|gsd|ralph)\.ts$/],
  ['verdict-text', /src\/reports\/verdict-text\.ts$/],
  ['check', /src\/cli\/commands\/(?:check|next)\.ts$/],
  ['hook', /src\/cli\/commands\/hook\.ts$/],
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
    plugins: [ascii],
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
    // Their default forms for Node are many small files, which can't be loaded when they are first used.
    alias: {
      yaml: fileURLToPath(new URL('node_modules/yaml/browser/index.js', import.meta.url)),
      'jsonc-parser': fileURLToPath(new URL('node_modules/jsonc-parser/lib/esm/main.js', import.meta.url)),
    },
    plugins: [pageParts(), loadOnUse, ascii],
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
