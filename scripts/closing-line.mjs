const listedAtMost = 40

/**
 * What `npm test` prints after vitest: whatever was left out, by name, then `N passed, N failed` alone on a line.
 * The last line never says `0 failed` of a run that failed.
 */
export function closingLines(report, { code, filtered = false }) {
  if (!report) return ['vitest ended before it could report.', '0 passed, 1 failed']
  const lines = report.brokenFiles.map((file) => `could not run: ${file}`)
  if (report.unhandled > 0) lines.push(`errors outside of any test: ${report.unhandled}`)
  lines.push(...leftOut(report.skipped, filtered))
  let failed = report.failed + report.brokenFiles.length
  if (code !== 0 && failed === 0) {
    failed = 1
    lines.push(`vitest ended with code ${code} although no test failed: counted as one failure.`)
  }
  const skipped = report.skipped.length > 0 ? `, ${report.skipped.length} skipped` : ''
  return [...lines, `${report.passed} passed, ${failed} failed${skipped}`]
}

function leftOut(skipped, filtered) {
  if (filtered) return skipped.length > 0 ? [`not chosen by -t: ${skipped.length}`] : []
  const lines = skipped
    .slice(0, listedAtMost)
    .map(({ file, name, reason }) => `skipped: ${file} > ${name}: ${reason || 'no reason given'}`)
  if (skipped.length > listedAtMost) lines.push(`skipped: and ${skipped.length - listedAtMost} more`)
  return lines
}
