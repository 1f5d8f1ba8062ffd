import { Prism } from './prism-core.ts'
import 'prismjs/components/prism-markup.js'
import 'prismjs/components/prism-css.js'
import 'prismjs/components/prism-clike.js'
import 'prismjs/components/prism-javascript.js'
import 'prismjs/components/prism-typescript.js'
import 'prismjs/components/prism-jsx.js'
import 'prismjs/components/prism-tsx.js'
import 'prismjs/components/prism-json.js'
import 'prismjs/components/prism-python.js'
import 'prismjs/components/prism-go.js'
import 'prismjs/components/prism-rust.js'
import 'prismjs/components/prism-java.js'
import 'prismjs/components/prism-c.js'
import 'prismjs/components/prism-cpp.js'
import 'prismjs/components/prism-csharp.js'
import 'prismjs/components/prism-kotlin.js'
import 'prismjs/components/prism-scala.js'
import 'prismjs/components/prism-swift.js'
import 'prismjs/components/prism-ruby.js'
import 'prismjs/components/prism-markup-templating.js'
import 'prismjs/components/prism-php.js'
import 'prismjs/components/prism-bash.js'
import 'prismjs/components/prism-yaml.js'
import 'prismjs/components/prism-toml.js'
import 'prismjs/components/prism-ini.js'
import 'prismjs/components/prism-sql.js'
import 'prismjs/components/prism-markdown.js'
import 'prismjs/components/prism-docker.js'
import 'prismjs/components/prism-makefile.js'
import 'prismjs/components/prism-lua.js'
import 'prismjs/components/prism-elixir.js'
import 'prismjs/components/prism-dart.js'
import 'prismjs/components/prism-perl.js'
import 'prismjs/components/prism-r.js'
import 'prismjs/components/prism-scss.js'
import 'prismjs/components/prism-less.js'
import 'prismjs/components/prism-graphql.js'
import 'prismjs/components/prism-protobuf.js'
import 'prismjs/components/prism-hcl.js'

/** Each language with the endings of its files, or whole file names in lower case. */
const LANGUAGES: Readonly<Record<string, string>> = {
  markup: 'html htm xml svg vue svelte xhtml xsd plist csproj',
  css: 'css',
  javascript: 'js mjs cjs',
  typescript: 'ts mts cts',
  jsx: 'jsx',
  tsx: 'tsx',
  json: 'json jsonc json5 webmanifest',
  python: 'py pyi',
  go: 'go',
  rust: 'rs',
  java: 'java',
  c: 'c h',
  cpp: 'cpp cc cxx hpp hh hxx',
  csharp: 'cs',
  kotlin: 'kt kts',
  scala: 'scala sbt',
  swift: 'swift',
  ruby: 'rb rake gemspec gemfile rakefile',
  php: 'php',
  bash: 'sh bash zsh bats',
  yaml: 'yml yaml',
  toml: 'toml',
  ini: 'ini cfg conf editorconfig gitconfig properties',
  sql: 'sql',
  markdown: 'md markdown mdx',
  docker: 'dockerfile',
  makefile: 'makefile mk',
  lua: 'lua',
  elixir: 'ex exs',
  dart: 'dart',
  perl: 'pl pm',
  r: 'r',
  scss: 'scss',
  less: 'less',
  graphql: 'graphql gql',
  protobuf: 'proto',
  hcl: 'tf hcl',
}
const BY_ENDING = new Map(
  Object.entries(LANGUAGES).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
)

export type Grammar = Parameters<typeof Prism.tokenize>[1]

/** The grammar for a file, by its name. */
export function grammarOf(path: string): Grammar | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const language = BY_ENDING.get(name) ?? BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1))
  return language === undefined ? undefined : Prism.languages[language]
}

export const tokenize = (text: string, grammar: Grammar): ReturnType<typeof Prism.tokenize> =>
  Prism.tokenize(text, grammar)
