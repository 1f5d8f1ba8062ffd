export interface OrderOptions {
  /** The word of the call that these options follow; at the end of the call otherwise. */
  readonly after?: string
  readonly options: readonly string[]
}

interface Shuffle extends Pick<OrderOptions, 'after'> {
  /** The project must name this plugin. */
  readonly plugin?: string
  readonly options: (seed: string) => readonly string[]
}

/** How a runner takes the tests of each file in another order. Those that are missing can't, or already do by themselves. */
const SHUFFLE: Readonly<Record<string, Shuffle>> = {
  vitest: { options: (seed) => ['--sequence.shuffle', `--sequence.seed=${seed}`] },
  jest: { options: (seed) => ['--randomize', `--seed=${seed}`] },
  bun: { options: (seed) => ['--randomize', `--seed=${seed}`] },
  pytest: {
    plugin: 'pytest-random-order',
    options: (seed) => ['--random-order', `--random-order-seed=${seed}`],
  },
  go: { after: 'test', options: (seed) => [`-shuffle=${seed}`] },
  rspec: { options: (seed) => ['--order', `rand:${seed}`] },
  phpunit: { options: (seed) => ['--order-by=random', `--random-order-seed=${seed}`] },
}

const PLUGIN_FILES = ['pyproject.toml', 'requirements-dev.txt', 'requirements.txt', 'setup.cfg', 'tox.ini']

/** The options for one seed; undefined if the runner has none, or if the project lacks the plugin. */
export function shuffleOptions(
  runner: string,
  seed: string,
  read: (path: string) => string | undefined,
): OrderOptions | undefined {
  const way = Object.hasOwn(SHUFFLE, runner) ? SHUFFLE[runner] : undefined
  if (way === undefined) return undefined
  const { plugin, after } = way
  if (plugin !== undefined && !PLUGIN_FILES.some((path) => read(path)?.includes(plugin))) return undefined
  return { options: way.options(seed), ...(after !== undefined && { after }) }
}
