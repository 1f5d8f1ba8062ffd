// The plain loops that people write by hand. They add nothing to the prompt, so that one walk of the script serves them all.

export const REFERENCES = [
  { name: 'stop on promise tag', stops: ({ promise }) => promise },
  { name: 'stop on green tests', stops: ({ green }) => green },
  { name: 'promise tag and green tests', stops: ({ promise, green }) => promise && green },
]

/** How the loop would have gone: it stops as completed at the first step that it takes for the end, or at the cap. */
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
