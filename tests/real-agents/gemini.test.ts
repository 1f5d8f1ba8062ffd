import { play } from './play.ts'
import { broken, DONE, modelErrors, refused, truncated } from './rows.ts'

const call = (name: string, input: object) => ({ call: { name, input } })

play('gemini', [
  {
    about: 'a sub-agent that claims: only the agent itself can',
    turns: [
      { tools: [call('invoke_agent', { agent_name: 'generalist', prompt: 'Look at the lid.' })] },
      { text: DONE, tools: [call('complete_task', { result: { response: DONE } })] },
      { text: 'One leak is left.' },
    ],
    final: 'One leak is left.',
    // The claim reached the agent, as the result of the tool.
    seen: 'EXIT_STATUS: COMPLETE',
  },
  ...modelErrors(() => ''),
  // Gemini reports neither case, so the text looks complete.
  refused({ final: 'I will not do that.' }),
  truncated({ final: 'The kettle is repai' }),
  broken({ final: '', kinds: ['api'] }),
  {
    about: 'without permission flags, nothing is written',
    turns: [{ tools: [{ write: { path: 'lid.txt', content: 'shut' } }] }, { text: 'It was not allowed.' }],
    args: ['-m', 'gemini-2.5-pro'],
    final: 'It was not allowed.',
    absent: 'lid.txt',
  },
])
