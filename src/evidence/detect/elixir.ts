import { type Detector, join } from './project.ts'

export const elixir: Detector = (project) =>
  project.roots(/^mix\.exs$/).flatMap((cwd) => {
    const why = `there is ${join(cwd, 'mix.exs')}`
    return [
      { kind: 'test', command: 'mix test', cwd, runner: 'mix', why },
      { kind: 'build', command: 'mix compile', cwd, why },
      ...(project.has(join(cwd, '.credo.exs'))
        ? [{ kind: 'lint', command: 'mix credo', cwd, why: `there is ${join(cwd, '.credo.exs')}` } as const]
        : []),
    ]
  })
