/**
 * What `npm test` prints after vitest: what was skipped, by name, then what failed, then `N passed, N failed` on its own line. So the
 * end of a long log is enough. The last line never reports `0 failed` for a run that failed.
 */
export function closingLines(report, { code, filtered = false }) {
  if (!report) return ['vitest exited before it could report.', '0 passed, 1 failed']
  const lines = leftOut(report.skipped, filtered)
  for (const file of report.brokenFiles) lines.push(`could not run: ${file}`)
  for (const { file, name, message } of report.failures ?? [])
    lines.push(`failed: ${file} > ${name}`, ...(message ? [`        ${message}`] : []))
  if (report.unhandled > 0) lines.push(`errors outside of tests: ${report.unhandled}`)
  let failed = report.failed + report.brokenFiles.length
  if (code !== 0 && failed === 0) {
    failed = 1
    lines.push(`vitest exited with code ${code} although no test failed. This counts as one failure.`)
  }
  const skipped = report.skipped.length > 0 ? `, ${report.skipped.length} skipped` : ''
  return [...lines, `${report.passed} passed, ${failed} failed${skipped}`]
}

/** Tests with the same reason share one line; the list is never shortened. */
function leftOut(skipped, filtered) {
  if (filtered) return skipped.length > 0 ? [`not selected by -t: ${skipped.length}`] : []
  const groups = new Map()
  for (const { file, name, reason } of skipped) {
    const why = reason || 'no reason given'
    groups.set(why, [...(groups.get(why) ?? []), { file, name }])
  }
  return [...groups].map(([reason, tests]) => {
    const files = [...new Set(tests.map(({ file }) => file))]
    const what = tests.length === 1 ? `${files[0]} > ${tests[0].name}` : `${files.join(', ')}, ${tests.length} tests`
    return `skipped: ${what}: ${reason}`
  })
}

/** What .ci/run prints after two runs: the rows of each, then one closing line in which a failure of either counts. */
export function linesOfTwo(all, bare) {
  const [first, second] = [all, bare].map((line) => /^(\d+) passed, (\d+) failed(.*)$/.exec(line))
  const shown = [`with optional programs: ${all}`, `tests that start processes, without them: ${bare}`]
  if (first === null || second === null)
    return [...shown, `${first?.[1] ?? 0} passed, ${Number(first?.[2] ?? 0) + 1} failed`]
  return [...shown, `${first[1]} passed, ${Number(first[2]) + Number(second[2])} failed${first[3]}`]
}
