// The simple loops people write by hand. They add nothing to the prompt, so one walk of the script serves them all.

export const REFERENCES = [
  { name: 'stop on promise tag', stops: ({ promise }) => promise },
  { name: 'stop on passing tests', stops: ({ green: testsPass }) => testsPass },
  { name: 'promise tag and passing tests', stops: ({ promise, green }) => promise && green },
]

/** How the loop would have ended: completed at the first step it accepts, or at the limit. */
export function referenceRun({ stops }, { steps, cap }) {
  const stop = steps.find(stops)
  const last = stop ?? steps.at(-1)
  return {
    completed: stop !== undefined,
    ending: stop === undefined ? 'cap' : 'completed',
    started: stop?.n ?? cap,
    iterations: steps.slice(0, last.n),
    finalTree: last.tree,
  }
}
