import { play } from './play.ts'
import { broken, DONE, modelErrors, refused, truncated } from './rows.ts'

const collaborate = (name: string, input: object) => ({ call: { namespace: 'collaboration', name, input } })

play('codex', [
  {
    about: 'a sub-agent that claims: only the agent itself can',
    args: ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--enable', 'multi_agent_v2'],
    turns: [
      { text: DONE, without: 'Repair the kettle.' },
      {
        tools: [collaborate('spawn_agent', { task_name: 'lid', message: 'Look at the lid.', fork_turns: 'none' })],
      },
      { tools: [collaborate('wait_agent', {})] },
      { text: 'One leak is left.' },
    ],
    final: 'One leak is left.',
    // The claim reached the agent, as a message of the sub-agent. Codex calls the main agent "root".
    seen: ['Sender: ', 'root', 'lid'].join('/'),
  },
  ...modelErrors(() => ''),
  refused({ final: 'I will not do that.', kinds: ['refusal'] }),
  truncated({ final: 'The kettle is repai', kinds: ['truncated'] }),
  broken({ final: '', kinds: ['api'] }),
  {
    about: 'without permission flags, nothing is written',
    turns: [{ tools: [{ write: { path: 'lid.txt', content: 'shut' } }] }, { text: 'It was not allowed.' }],
    args: ['--skip-git-repo-check'],
    final: 'It was not allowed.',
    absent: 'lid.txt',
  },
])
