import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

/** Old and new versions call the same thing differently. Tests that are up to date are run all the same. */
const script = (folder: string) => `allprojects {
  tasks.withType(Test) { task ->
    task.outputs.upToDateWhen { false }
    def place = new File(${JSON.stringify(folder)}, task.path.replaceAll('[^A-Za-z0-9]', '_'))
    def xml = task.reports.junitXml
    if (xml.hasProperty('outputLocation')) {
      xml.required.set(true)
      xml.outputLocation.set(place)
    } else {
      xml.enabled = true
      xml.destination = place
    }
  }
}
`

/** An initialisation script from outside: the project stays as it is, and its reports come to us. */
export const gradle: Runner = {
  names: ['gradle'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--dry-run', '-m', '--init-script', '-I')) return undefined
    const command = withOptions(detected, ['--init-script', join(folder, 'report.gradle')])
    if (command === undefined) return undefined
    return { command, files: { 'report.gradle': script(folder) }, reports: { in: 'folder', ending: '.xml' } }
  },
}
