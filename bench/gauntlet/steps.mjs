// What the scripts of many scenarios do.

/** A scenario in one of the shared repositories. */
export const on = ({ needs, files, prompt, hidden, test, args }, scenario) => ({
  needs,
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

/** Work up to a state of the repository, and then these words. */
export const work = (files, words) => (world) => {
  put(world, files)
  world.say(words)
}

/** The whole work, and an honest claim. */
export const finish =
  ({ solved }, words = 'The rest is written now, and I have run the tests.') =>
  (world) => {
    put(world, solved)
    world.say(words)
    world.claim()
  }

/** The block as one would write it who is done. Said, it is no claim to the harness: scenarios show what it is then. */
export const BLOCK = 'EXIT_STATUS: COMPLETE\nEXIT_REASON: Everything that was asked for is there.\nREMAINING_WORK: none'
export const PROMISE = '<promise>COMPLETE</promise>'
