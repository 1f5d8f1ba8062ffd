import type { Detected } from '../types.ts'
import { below, type Detector, join } from './project.ts'

/** A solution, else the projects that lie nearest to the top. Several in one folder must be named. */
export const dotnet: Detector = (project) => {
  const solutions = project.roots(/\.slnx?$/)
  const places = solutions.length > 0 ? solutions : project.roots(/\.(?:cs|fs|vb)proj$/)
  const kind = solutions.length > 0 ? /^[^/]+\.slnx?$/ : /^[^/]+\.(?:cs|fs|vb)proj$/
  return places.flatMap((cwd): readonly Detected[] => {
    const files = below(project, cwd).filter((path) => kind.test(path))
    const tests = files.length > 1 ? files.filter((path) => /tests?\./i.test(path)) : files
    const named = (tests.length > 0 ? tests : files).slice(0, 1)
    const argument = files.length > 1 ? ` ${quoted(named[0]!)}` : ''
    const why = `there is ${join(cwd, named[0]!)}`
    return [
      { kind: 'test', command: `dotnet test${argument}`, cwd, runner: 'dotnet', why },
      { kind: 'build', command: `dotnet build${argument}`, cwd, why },
    ]
  })
}

const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : `"${name}"`)
