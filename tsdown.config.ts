import { fileURLToPath } from 'node:url'
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
        groups: [
          {
            name: 'cli',
            test: /src\/cli\/program\.ts$|rolldown\/runtime|src\/(?:system\/(?:digest|files)|journal\/(?:place|errors)|cli\/parse)\.ts$/,
            priority: 9,
          },
          { name: 'signals', test: /src\/core\/signals\/read-signals\.ts$/, priority: 8 },
          { name: 'policy', test: /src\/core\/presets\/default\.ts$/, priority: 7 },
          {
            name: 'seldom',
            test: /src\/(?:core\/presets\/(?:cub|prp|doyaken|blackbox|gsd|ralph)|reports\/verdict-text)\.ts$/,
            priority: 6,
          },
          { name: 'check', test: /src\/cli\/commands\/(?:check|next)\.ts$/, priority: 5 },
          { name: 'hook', test: /src\/cli\/commands\/hook\.ts$/, priority: 4 },
          // Loaded only for a file or a shell line that needs them.
          { name: 'yaml', test: /node_modules\/yaml\//, priority: 10 },
          { name: 'jsonc', test: /node_modules\/jsonc-parser\//, priority: 10 },
          { name: 'shell', test: /node_modules\/unbash\/|src\/system\/shell\//, priority: 10 },
        ],
      },
    },
  },
])
