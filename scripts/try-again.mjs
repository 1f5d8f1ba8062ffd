/** Rooms whose tests start processes: on a crowded machine one of them may come too late. All else is right or wrong. */
const WITH_PROCESSES =
  /^tests\/(?:(?:browser|cli|e2e|evidence|fleet|integrations|loop|parallel|real-agents|runners|system)\/|docs\.test)/
const MOST_FILES = 3

/** The few files worth a second run; none when anything else is wrong too. */
export function toTryAgain(report) {
  if (!report || report.brokenFiles.length > 0 || report.unhandled > 0) return []
  const files = [...new Set(report.failures.map(({ file }) => file))]
  return files.length <= MOST_FILES && files.every((file) => WITH_PROCESSES.test(file)) ? files : []
}

/** Both runs as one: what passed only the second time counts as passed, and is named. */
export function together(first, second) {
  if (!second.report) return { ...second, report: undefined }
  const { failures, failed, brokenFiles, unhandled } = second.report
  const still = new Set(failures.map(keyOf))
  const flaky = brokenFiles.length > 0 ? [] : first.report.failures.filter((each) => !still.has(keyOf(each)))
  const passed = first.report.passed + flaky.length
  return { code: second.code, report: { ...first.report, passed, failed, failures, brokenFiles, unhandled, flaky } }
}

const keyOf = ({ file, name }) => `${file}\n${name}`
