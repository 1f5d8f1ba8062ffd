/** What is added to the prompt of a preset whose proof is the tests and the roadmap. */
export const roadmapTicks = `## Roadmap

Run the tests after every change. When everything in a plan (NN-MM-PLAN.md) works and its tests are green, tick it in the roadmap; never delete or
reword a plan to make it disappear.
`
