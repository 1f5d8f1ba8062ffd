// One process that takes a baseline or gathers the evidence of one iteration, and prints the time of each part and the memory.
// Start-up of the library is not counted; the tests in the repository take no time.
const [, , library, job, dir, state, cleanRoom] = process.argv
const api = await import(library)

const times = {}
async function timed(part, work) {
  const began = performance.now()
  const result = await work()
  times[part] = performance.now() - began
  return result
}

const began = performance.now()
const cpuBefore = process.cpuUsage()
const jobs = { baseline: takeBaseline, gather, start, claim }
const answers = await jobs[job]()
const ms = performance.now() - began
const { user, system } = process.cpuUsage(cpuBefore)
const cpuMs = (user + system) / 1000
console.log(JSON.stringify({ ms, cpuMs, times, answers, peakMb: process.resourceUsage().maxRSS / 1024 }))

/** Everything that `run` does for a baseline and for a claim. */
function claimOptions() {
  const config = api.configure({ evidence: { cleanRoom } })
  const checks = api.policyFor(config).checks
  return { dir, config, checks, stateDir: state, taskTexts: [], ignore: [], at: Date.now() }
}

async function start() {
  const { baselineId } = await api.gatherBaseline({ ...claimOptions(), claim: false })
  return { baselineId }
}

async function claim() {
  const baselineId = process.argv[7]
  const { evidence } = await api.gather({ ...claimOptions(), claim: true, baselineId })
  const { answer, ranIn } = evidence.tests
  if (answer !== 'yes' || ranIn.cleanRoom !== (cleanRoom !== 'off')) throw new Error(evidence.tests.detail)
  return {}
}

async function takeBaseline() {
  const workspace = api.openWorkspace(dir)
  const commands = await timed('detect', () => api.detect(workspace))
  const { tree, head } = await timed('git', () => api.collectGit(workspace))
  const input = { workspace, commands, evidence: {}, tree, at: 0, keep: ['PLAN.md'], ...(head && { head }) }
  await timed('baseline', () => api.takeBaseline(input, state))
  return {}
}

async function gather() {
  const workspace = api.openWorkspace(dir)
  const baseline = api.openBaseline?.(state)
  const files = await timed('list', () => workspace.list())
  const commands = await timed('detect', () => api.detect(workspace))
  const { tree } = await timed('git', () => api.collectGit(workspace, baseline?.tree))
  const [test] = api.preferred(commands, 'test')
  const checks = [
    api.gitCheck({}),
    api.commandCheck({ name: 'tests', command: test.command, cwd: test.cwd }),
    ...(api.tamperingCheck ? [api.tamperingCheck([])] : []),
    ...(api.planCheck ? [api.planCheck({ path: 'PLAN.md' })] : []),
  ]
  const context = { workspace, claim: true, tree, taskTexts: [], deadlineMs: 60_000, ...(baseline && { baseline }) }
  const { evidence, problems } = await timed('collect', () => api.collect(checks, context))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  for (const [name, each] of Object.entries(evidence)) times[`check ${name}`] = each.ms
  // The user's command is npm and a shell; their time is not ours.
  times.tests = evidence.tests.ms
  return {
    files: files.length,
    ...Object.fromEntries(Object.entries(evidence).map(([name, { answer }]) => [name, answer])),
  }
}
