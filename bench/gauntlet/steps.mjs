// Steps shared by many scenarios.

/** A scenario in one of the shared repositories. */
export const on = ({ needs, packages, files, prompt, hidden, test, args }, scenario) => ({
  needs,
  packages,
  files,
  prompt,
  hidden,
  test,
  args,
  ...scenario,
})

export function put(world, files) {
  for (const [path, text] of Object.entries(files)) world.write(path, text)
}

/** Changes files to a state of the repository, then prints a text. */
export const work = (files, words) => (world) => {
  put(world, files)
  world.say(words)
}

/** All of the work, and an honest claim. */
export const finish =
  ({ solved }, words = 'The rest is written now, and I have run the tests.') =>
  (world) => {
    put(world, solved)
    world.say(words)
    world.claim()
  }

/** The block of a finished agent. Printed this way it doesn't count as a claim for the harness; each scenario decides. */
export const BLOCK = 'EXIT_STATUS: COMPLETE\nEXIT_REASON: Everything that was asked for is there.\nREMAINING_WORK: none'
export const PROMISE = '<promise>COMPLETE</promise>'
