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

/** Tests of one file with the same reason share one line; the list is never shortened. */
function leftOut(skipped, filtered) {
  if (filtered) return skipped.length > 0 ? [`not selected by -t: ${skipped.length}`] : []
  const groups = new Map()
  for (const { file, name, reason } of skipped) {
    const key = `${file}\n${reason}`
    groups.set(key, { file, reason: reason || 'no reason given', names: [...(groups.get(key)?.names ?? []), name] })
  }
  return [...groups.values()].map(({ file, reason, names }) =>
    names.length === 1
      ? `skipped: ${file} > ${names[0]}: ${reason}`
      : `skipped: ${file}, ${names.length} tests: ${reason}`,
  )
}
