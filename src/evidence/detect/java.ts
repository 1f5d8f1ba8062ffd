import type { Detected } from '../types.ts'
import { type Detector, join, type Project } from './project.ts'

/** The wrapper in the folder, which brings the right version along; else the program of the machine. */
function wrapperOr(project: Project, folder: string, wrapper: string, program: string, windows: string): string {
  if (!project.has(join(folder, wrapper))) return program
  return project.platform === 'win32' ? windows : `./${wrapper}`
}

export const maven: Detector = (project) =>
  project.roots(/^pom\.xml$/).flatMap((cwd): readonly Detected[] => {
    const mvn = wrapperOr(project, cwd, 'mvnw', 'mvn', 'mvnw.cmd')
    const why = `there is ${join(cwd, 'pom.xml')}${mvn === 'mvn' ? '' : ' with its wrapper'}`
    return [
      { kind: 'test', command: `${mvn} -B test`, cwd, runner: 'maven', why },
      { kind: 'build', command: `${mvn} -B -DskipTests package`, cwd, why },
    ]
  })

export const gradle: Detector = (project) =>
  project.roots(/^(?:build|settings)\.gradle(?:\.kts)?$/).flatMap((cwd): readonly Detected[] => {
    const gradlew = wrapperOr(project, cwd, 'gradlew', 'gradle', 'gradlew.bat')
    const names = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']
    const file = names.map((name) => join(cwd, name)).find((path) => project.has(path))
    const why = `there is ${file}${gradlew === 'gradle' ? '' : ' with its wrapper'}`
    return [
      { kind: 'test', command: `${gradlew} test`, cwd, runner: 'gradle', why },
      { kind: 'build', command: `${gradlew} assemble`, cwd, why },
    ]
  })
