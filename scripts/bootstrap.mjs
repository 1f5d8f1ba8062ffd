// Runs for `npm start`, `npm test` and `npm run bench`; a fresh clone needs only Node and git. There is no import above the check,
// so that an old Node prints this message instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  import('./jobs.mjs').then(({ job }) => job(process.argv.slice(2)))
} else {
  console.error(`exitgate needs Node 20.19 or newer. This is Node ${process.versions.node}.`)
  process.exitCode = 1
}
