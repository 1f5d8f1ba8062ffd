import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A vitest reporter for jobs.mjs: counts, plus names and reasons of skipped tests, which vitest's own JSON lacks. */
export default class {
  onTestRunEnd(modules, unhandled) {
    const report = { passed: 0, failed: 0, failures: [], skipped: [], brokenFiles: [], unhandled: unhandled.length }
    for (const module of modules) {
      const file = relative(root, module.moduleId)
      let failedHere = 0
      for (const test of module.children.allTests()) {
        const { state, note, errors } = test.result()
        if (state === 'passed') report.passed += 1
        else if (state === 'failed') {
          failedHere += 1
          const message = stripVTControlCharacters(errors?.[0]?.message ?? '')
            .replace(/\s+/g, ' ')
            .slice(0, 500)
          report.failures.push({ file, name: test.fullName, message })
        } else
          report.skipped.push({
            file,
            name: test.fullName,
            reason: note ?? (test.options.mode === 'todo' ? 'todo' : ''),
          })
      }
      report.failed += failedHere
      if (module.state() === 'failed' && failedHere === 0) report.brokenFiles.push(file)
    }
    writeFileSync(join(root, '.tools', `test-report-${process.ppid}.json`), JSON.stringify(report))
  }
}
