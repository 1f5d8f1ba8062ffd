import { wrappedCommand } from '../../../system/shell/builtins.ts'
import { readShell, type ShellCommand, shellCommands } from '../../../system/shell/commands.ts'
import { hiddenFailure, TOO_COMPLEX } from '../../../system/shell/hidden-failure.ts'

/** One command of a script, and whether its failure is hidden. */
export interface Command {
  readonly text: string
  /** Assignments, the program and its arguments. */
  readonly words: readonly string[]
  readonly line: number
  /** Inside a substitution or another shell. */
  readonly nested?: boolean
  /** Why its failure does not count. */
  readonly masked?: string | undefined
}

/** In a longer script, exitgate doesn't work out whose failure is hidden. */
const MAX_COMMANDS = 400

/** The commands of a shell script, a package script or a recipe. With `strict`, they run under `sh -e`. */
export function readCommands(script: string, firstLine = 1, strict = false): Command[] {
  const shell = readShell(script)
  const commands = shellCommands(shell, firstLine)
  return commands.map((command) => {
    // Computed only when needed: it walks through the whole script.
    let masked: { readonly why: string | undefined } | undefined
    return {
      text: command.text,
      words: [...command.assignments, ...command.words],
      line: command.line,
      nested: command.nested,
      get masked() {
        masked ??= {
          why:
            commands.length > MAX_COMMANDS
              ? TOO_COMPLEX
              : hiddenFailure(shell, command, commands, { alternative, ...(strict && { errexit: true }) }),
        }
        return masked.why
      },
    }
  })
}

/** A second run of tests or linters after a failure doesn't hide it. */
const alternative = ({ text, words, line }: ShellCommand) => classify({ text, words, line }).purpose !== 'other'

export type Purpose = 'test' | 'lint' | 'other'

/** What a command runs, without its wrappers. */
export interface Classified {
  readonly command: Command
  readonly purpose: Purpose
  /** The tool, or the script that a package manager runs. */
  readonly name: string
  /** The arguments after it. */
  readonly args: readonly string[]
  readonly env: readonly string[]
}

const WRAPPERS =
  /^(?:npx|bunx|pnpx|sudo|time|timeout|nohup|setsid|stdbuf|nice|env|cross-env|cross-env-shell|dotenv|c8|nyc|xvfb-run|command|exec|@|start-server-and-test|wait-on|concurrently|dbus-run-session|poetry|pipenv|uv|hatch|pdm|rye|bundle|coverage|docker|docker-compose|volta|mise|asdf|nvm)$/
const RUNNERS =
  /^(?:vitest|jest|mocha|ava|tap|tape|borp|uvu|karma|jasmine|lab|cypress|playwright|wdio|testcafe|nightwatch|web-test-runner|wtr|qunit|react-scripts|ng|cucumber-js|cucumber|stryker|pytest|py\.test|tox|nox|nosetests|trial|unittest|stestr|gotestsum|ginkgo|rspec|phpunit|pest|paratest|codecept|behat|infection|ctest|bats|tarpaulin|llvm-cov|minitest|aruba|hspec|busted|sbt)$/
const LINTERS =
  /^(?:eslint|biome|tsc|vue-tsc|tsgo|prettier|stylelint|oxlint|xo|standard|ts-standard|knip|publint|attw|madge|dprint|ruff|flake8|pylint|mypy|pyright|basedpyright|black|isort|bandit|golangci-lint|staticcheck|govulncheck|gofmt|revive|rubocop|standardrb|brakeman|sorbet|reek|phpstan|psalm|phpcs|php-cs-fixer|pint|rector|checkstyle|spotbugs|ktlint|detekt|spotless|shellcheck|hadolint|actionlint|yamllint|markdownlint|pre-commit|typos|cspell|semgrep|commitlint|svelte-check|astro)$/
const MANAGERS =
  /^(?:npm|pnpm|yarn|bun|deno|composer|make|gmake|just|task|rake|turbo|nx|lerna|go|cargo|dotnet|mvn|mvnw|gradle|gradlew|rails|php|python|python3|python2|py|node|ruby|mix|swift|bazel|bazelisk|artisan|cmake|meson|ninja|invoke|inv)$/

const TEST_SCRIPT =
  /^(?!latest|contest|attest|fastest)[a-z]*tests?$|^(?:test|tests|t|tst|spec|specs|e2e|unit|integration|coverage|cov|jest|vitest|check|verify|ci)(?:$|[:._-])|[:._-](?:test|tests|spec|unit|e2e)(?:$|[:._-])/
const LINT_SCRIPT =
  /^(?:lint|typecheck|type-check|types|tsc|format:check|fmt-check|fmt|prettier|eslint|style|static|analyse|analyze|stan|vet|clippy)(?:$|[:._-])|[:._-](?:lint|typecheck|types)(?:$|[:._-])/

export function classify(command: Command): Classified {
  const env: string[] = []
  let words = [...command.words]
  for (let guard = 0; guard < 20 && words.length > 0; guard++) {
    const word = words[0]!.replace(/^[@(-]+/, '')
    if (word === '' || /^[A-Za-z_][A-Za-z\d_]*=/.test(word)) {
      if (word !== '') env.push(word)
      words.shift()
    } else if (WRAPPERS.test(word) && words.length > 1) words = unwrapped(word, words.slice(1))
    else if (/^--?\w/.test(word) && guard > 0) words.shift()
    else {
      words[0] = word
      break
    }
  }
  const [first = '', ...args] = words
  const tool = first.replace(/^.*\//, '').replace(/\.(?:cmd|exe|bat|js|phar|mjs|cjs)$/, '')
  return { command, env, ...classifyTool(tool, args, first) }
}

/** The command that a wrapper runs, without the wrapper's own options. */
function unwrapped(wrapper: string, words: string[]): string[] {
  if (/^(?:timeout|nohup|setsid|stdbuf)$/.test(wrapper)) return [...(wrappedCommand([wrapper, ...words]) ?? words)]
  const rest = [...words]
  if (/^(?:poetry|pipenv|uv|hatch|pdm|rye|coverage|mise)$/.test(wrapper) && /^(?:run|exec|x)$/.test(rest[0] ?? ''))
    rest.shift()
  if (wrapper === 'bundle' && rest[0] === 'exec') rest.shift()
  if (/^(?:docker|docker-compose|c8|nyc|xvfb-run|start-server-and-test|concurrently)$/.test(wrapper)) {
    const at = rest.findIndex((word) => RUNNERS.test(word) || LINTERS.test(word) || MANAGERS.test(word))
    return at >= 0 ? rest.slice(at) : rest
  }
  while (rest.length > 1 && /^-/.test(rest[0]!)) {
    if (rest[0] === '-m') return ['python', ...rest]
    const takesValue = /^(?:-p|--package|-c|--with|--extra|--group|-n|--rcfile|--python)$/.test(rest[0]!)
    rest.shift()
    if (takesValue && rest.length > 1) rest.shift()
  }
  return rest
}

/** A program that tests talk to. */
const SERVES = /(?:^|[/_.-])(?:servers?|serve|mocks?|stubs?|fake|daemon|proxy)(?:\.\w+)?$/

function classifyTool(
  tool: string,
  args: readonly string[],
  path: string,
): { name: string; purpose: Purpose; args: readonly string[] } {
  if (RUNNERS.test(tool)) {
    const runsNoTests =
      /^(?:playwright|cypress|ng|react-scripts)$/.test(tool) &&
      /^(?:install|build|start|serve|open|verify|show-report|codegen|cache)$/.test(args[0] ?? '')
    return { name: tool.replace('py.test', 'pytest'), purpose: runsNoTests ? 'other' : 'test', args }
  }
  if (LINTERS.test(tool)) return { name: tool, purpose: 'lint', args }
  if (!MANAGERS.test(tool))
    return {
      name: path,
      purpose: /(?:^|[/_.-])tests?(?:[/_.-]|$)/.test(path) && !/=/.test(path) && !SERVES.test(path) ? 'test' : 'other',
      args,
    }
  return classifyManager(tool, args)
}

/** For package managers, build tools and interpreters, the arguments show the purpose. */
function classifyManager(
  tool: string,
  args: readonly string[],
): { name: string; purpose: Purpose; args: readonly string[] } {
  const plain = args.filter((word) => !word.startsWith('-'))
  const other = { name: `${tool} ${plain[0] ?? ''}`.trim(), purpose: 'other' as Purpose, args }
  const byScript = (script: string, rest: readonly string[]) => ({
    name: script,
    purpose: (TEST_SCRIPT.test(script) ? 'test' : LINT_SCRIPT.test(script) ? 'lint' : 'other') as Purpose,
    args: rest,
  })
  if (tool === 'node' || tool === 'bun' || tool === 'deno') {
    if (
      args.some((word) => /^--test(?:=|$)/.test(word)) ||
      ((tool === 'deno' || tool === 'bun') && plain[0] === 'test')
    )
      return { name: `${tool} test`, purpose: 'test', args: args.filter((word) => word !== 'test') }
    if (tool === 'deno' && (plain[0] === 'lint' || plain[0] === 'check'))
      return { name: `deno ${plain[0]}`, purpose: 'lint', args }
    if (tool === 'node' && plain[0] !== undefined)
      return classifyTool(
        plain[0].replace(/^.*\//, '').replace(/\.[cm]?js$/, ''),
        args.slice(args.indexOf(plain[0]) + 1),
        plain[0],
      )
  }
  if (/^py/.test(tool)) {
    const module = args.indexOf('-m')
    if (module >= 0) return classifyTool(args[module + 1] ?? '', args.slice(module + 2), args[module + 1] ?? '')
    if (/manage\.py$/.test(plain[0] ?? '')) return byScript(plain[1] ?? '', plain.slice(2))
    return classifyTool((plain[0] ?? '').replace(/^.*\//, '').replace(/\.py$/, ''), plain.slice(1), plain[0] ?? '')
  }
  if (tool === 'php' || tool === 'ruby')
    return classifyTool(
      (plain[0] ?? '').replace(/^.*\//, '').replace(/\.(?:rb|php)$/, ''),
      plain.slice(1),
      plain[0] ?? '',
    )
  if (/^(?:npm|pnpm|yarn|bun|composer|turbo|nx|lerna)$/.test(tool)) {
    const script =
      plain.find(
        (word) => !/^(?:run|run-script|exec|run-many|affected|workspace|workspaces|dlx|x|test:)$/.test(word),
      ) ?? ''
    if (
      /^(?:install|ci|i|add|publish|pack|version|audit|update|remove|init|config|login|whoami|link|prune|dedupe|outdated|view|cache|set|dump-autoload)$/.test(
        script,
      )
    )
      return other
    if (RUNNERS.test(script) || LINTERS.test(script))
      return classifyTool(script, args.slice(args.indexOf(script) + 1), script)
    return byScript(script, args.slice(args.indexOf(script) + 1))
  }
  if (tool === 'go')
    return plain[0] === 'test'
      ? { name: 'go test', purpose: 'test', args: args.slice(args.indexOf('test') + 1) }
      : plain[0] === 'vet'
        ? { name: 'go vet', purpose: 'lint', args }
        : other
  if (tool === 'cargo') {
    const verb = plain.find((word) => !word.startsWith('+')) ?? ''
    if (/^(?:test|nextest|tarpaulin|llvm-cov|miri)$/.test(verb))
      return {
        name: 'cargo test',
        purpose: 'test',
        args: args.slice(args.indexOf(verb) + 1).filter((word) => word !== 'run'),
      }
    return /^(?:clippy|fmt|check|deny|audit)$/.test(verb) ? { name: `cargo ${verb}`, purpose: 'lint', args } : other
  }
  if (/^(?:mvn|mvnw|gradle|gradlew)$/.test(tool)) {
    const tests = plain.some((word) =>
      /(?:^|:)(?:test|verify|check|build|install|package|integration-test|deploy|connectedCheck|\w*[tT]est)$/.test(
        word,
      ),
    )
    const lints = plain.some((word) => /lint|checkstyle|spotless|detekt|spotbugs|pmd/i.test(word))
    return { name: tool.replace(/w$/, ''), purpose: tests ? 'test' : lints ? 'lint' : 'other', args }
  }
  if (
    /^(?:make|gmake|just|task|rake|rails|artisan|invoke|inv|mix|swift|bazel|bazelisk|cmake|meson|ninja|dotnet)$/.test(
      tool,
    )
  ) {
    const goal = plain.find((word) => TEST_SCRIPT.test(word) || LINT_SCRIPT.test(word)) ?? plain[0] ?? ''
    return {
      ...byScript(
        goal,
        args.filter((word) => word !== goal),
      ),
      name: `${tool} ${goal}`.trim(),
    }
  }
  return other
}
