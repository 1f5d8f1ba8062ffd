/** What is added to the prompt of a preset whose proof is the plan. */
export const planTicks = `## Plan

Work through the plan file. Tick an item only when it works and you have checked it; never delete or reword an item to make it disappear.
Say plainly how far you trust what you did, and name what is still wrong.
`
