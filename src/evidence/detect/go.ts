import { type Detector, join, type Project } from './project.ts'

/** go.work names its modules; else every go.mod that lies nearest to the top. */
export const go: Detector = (project) => {
  const work = project.read('go.work')
  const places = work === undefined ? project.roots(/^go\.mod$/) : ['']
  return places.flatMap((cwd) => {
    const file = work === undefined ? join(cwd, 'go.mod') : 'go.work'
    const modules = work === undefined ? ['./...'] : modulesOf(work).map((module) => `${module}/...`)
    const all = modules.join(' ') || './...'
    const why = `there is ${file}`
    return [
      { kind: 'test', command: `go test ${all}`, cwd, runner: 'go', why: why + withTests(project, cwd) },
      { kind: 'build', command: `go build ${all}`, cwd, why },
      linter(project, cwd, all, why),
    ]
  })
}

const withTests = (project: Project, folder: string) =>
  project.files.some((path) => path.startsWith(folder) && path.endsWith('_test.go')) ? '' : ', without tests so far'

function linter(project: Project, cwd: string, all: string, why: string) {
  const settings = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json']
  const own = settings.find((name) => project.has(join(cwd, name)))
  if (own === undefined) return { kind: 'lint', command: `go vet ${all}`, cwd, why } as const
  return { kind: 'lint', command: 'golangci-lint run', cwd, why: `there is ${join(cwd, own)}` } as const
}

/** `use ./a` and `use ( ./a ./b )`. */
function modulesOf(work: string): readonly string[] {
  const text = work.replace(/\/\/[^\n]*/g, '')
  const blocks = [...text.matchAll(/^\s*use\s*\(([^)]*)\)/gm)].flatMap(([, inner]) => inner!.trim().split(/\s+/))
  const single = [...text.matchAll(/^\s*use\s+([^\s(]+)/gm)].map(([, name]) => name!)
  const names = [...blocks, ...single].map((name) => name.replace(/^"|"$/g, '').replace(/\/$/, ''))
  return names.filter((name) => name !== '').map((name) => (/^[.]/.test(name) ? name : `./${name}`))
}
