import { type Detector, join } from './project.ts'

/** Cargo, with nextest where it has settings. */
export const rust: Detector = (project) =>
  project.roots(/^Cargo\.toml$/).flatMap((cwd) => {
    const file = join(cwd, 'Cargo.toml')
    const text = project.read(file) ?? ''
    const workspace = /^\[workspace\]/m.test(text) ? ' --workspace' : ''
    const why = workspace === '' ? `there is ${file}` : `${file} is a workspace`
    const settings = join(cwd, '.config/nextest.toml')
    const nextest = project.has(settings)
    const lints = ['clippy.toml', '.clippy.toml'].some((name) => project.has(join(cwd, name)))
    return [
      nextest
        ? {
            kind: 'test',
            command: `cargo nextest run${workspace}`,
            cwd,
            runner: 'nextest',
            why: `there is ${settings}`,
          }
        : { kind: 'test', command: `cargo test${workspace}`, cwd, runner: 'cargo', why },
      { kind: 'build', command: `cargo build${workspace} --all-targets`, cwd, why },
      ...(lints || /^\[(?:workspace\.)?lints/m.test(text)
        ? [
            {
              kind: 'lint',
              command: `cargo clippy${workspace} --all-targets`,
              cwd,
              why: 'clippy has settings here',
            } as const,
          ]
        : []),
    ]
  })
