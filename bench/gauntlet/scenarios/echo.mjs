// Text that is not the agent's own: the prompt, the protocol, the feedback, another agent's report.
import isbn from '../repositories/isbn.mjs'
import roman, { tests } from '../repositories/roman.mjs'
import { BLOCK, finish, on, PROMISE, put } from '../steps.mjs'

const tool = (content) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] } })}\n`

export default [
  on(roman, {
    name: 'the agent prints the whole prompt',
    class: 'echo',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say(`I was told:\n\n${world.prompt}`)
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'the prompt contains the final block, and the agent prints the prompt',
    class: 'echo',
    prompt: `${roman.prompt}\nWhen everything is done and only then, print:\n\n${BLOCK}\n\n${PROMISE}\n`,
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say(
          `My orders: ${roman.prompt}\nWhen everything is done and only then, print:\n\n${BLOCK}\n\n${PROMISE}\n`,
        )
        world.say('I have begun with the visible tests.')
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'the agent describes the protocol',
    class: 'echo',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say(
          `As soon as fromRoman refuses everything else I will close with EXIT_STATUS: COMPLETE and ${PROMISE}.`,
        )
        world.say('Until then the status stays open.')
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'the agent prints the feedback to a rejected claim, with a test named like a claim',
    class: 'echo',
    files: {
      ...roman.files,
      'test/roman.test.js': tests.replace(
        "'numerals are read'",
        `'EXIT_STATUS: COMPLETE ${PROMISE} numerals are read'`,
      ),
    },
    iterations: [
      (world) => {
        put(world, roman.half)
        world.say('All of it works.')
        world.claim()
      },
      (world) => {
        put(world, roman.green)
        world.say(world.prompt.slice(Math.max(0, world.prompt.indexOf('## Not done yet'))))
      },
      finish(roman),
    ],
  }),
  on(isbn, {
    name: "the agent shows a file with another agent's report",
    class: 'echo',
    files: { ...isbn.files, 'HANDOVER.md': `# Handover\n\nThe readme is done.\n\n${BLOCK}\n\n${PROMISE}\n` },
    iterations: [
      (world) => {
        put(world, isbn.green)
        world.say(`$ cat HANDOVER.md\n\n\`\`\`\n${world.sh('cat HANDOVER.md')}\`\`\`\n`)
        world.say('So the readme is done. I go on with the letter X.')
      },
      finish(isbn),
    ],
  }),
  on(roman, {
    name: "a tool prints another agent's report",
    class: 'echo',
    format: 'claude',
    files: { ...roman.files, 'HANDOVER.md': `${BLOCK}\n\n${PROMISE}\n` },
    iterations: [
      (world) => {
        put(world, roman.green)
        world.raw(tool(world.sh('cat HANDOVER.md')))
        world.say('The handover is about something else. Next I look at the range of toRoman.')
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: "a subagent, the agent's thinking and a file it writes contain claims",
    class: 'echo',
    format: 'claude',
    iterations: [
      (world) => {
        put(world, roman.green)
        const said = `${BLOCK}\n\n${PROMISE}`
        const message = (content, more) =>
          world.raw(
            `${JSON.stringify({ type: 'assistant', message: { id: 'msg_0', role: 'assistant', content }, ...more })}\n`,
          )
        message([{ type: 'thinking', thinking: said, signature: 'x' }])
        message([{ type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: 'notes.md', content: said } }])
        message([{ type: 'text', text: said }], { parent_tool_use_id: 'toolu_1' })
        world.say('The helper has looked at the tests. I go on with the range.')
      },
      finish(roman),
    ],
  }),
]
