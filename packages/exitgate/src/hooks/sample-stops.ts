/** What an agent's CLI sends at the end of a turn. If it sends the message separately, that event is first. */
type Sample = (dir: string, message: string, session: string) => readonly object[]

const stop = (dir: string, session: string): object => ({
  session_id: session,
  cwd: dir,
  transcript_path: `${dir}/none.jsonl`,
  stop_hook_active: false,
})

const claudeStop: Sample = (dir, message, session) => [
  { ...stop(dir, session), hook_event_name: 'Stop', last_assistant_message: message },
]

/** By agent. An agent without one is not tried. */
export const SAMPLE_STOPS: Readonly<Record<string, Sample>> = {
  claude: (dir, message, session) => [
    { ...stop(dir, session), prompt_id: 'p', hook_event_name: 'Stop', last_assistant_message: message },
  ],
  codex: (dir, message, session) => [
    { ...stop(dir, session), turn_id: 't', hook_event_name: 'Stop', last_assistant_message: message },
  ],
  gemini: (dir, message, session) => [
    { ...stop(dir, session), hook_event_name: 'AfterAgent', prompt: 'Make it right', prompt_response: message },
  ],
  copilot: (dir, message, session) => [
    { sessionId: session, timestamp: 1, cwd: dir, stopReason: 'end_turn', last_assistant_message: message },
  ],
  cursor: (dir, message, session) => {
    const common = { conversation_id: session, generation_id: 'g', workspace_roots: [dir] }
    return [
      { ...common, hook_event_name: 'afterAgentResponse', text: message },
      { ...common, hook_event_name: 'stop', status: 'completed', loop_count: 0 },
    ]
  },
  qwen: claudeStop,
  droid: claudeStop,
  kimi: claudeStop,
  qoder: claudeStop,
  goose: (dir, message, session) => [
    { event: 'Stop', session_id: session, last_assistant_message: message, working_dir: dir },
  ],
  grok: (dir, message, session) => [
    {
      ...stop(dir, session),
      promptId: 'p',
      hook_event_name: 'Stop',
      reason: 'end_turn',
      lastAssistantMessage: message,
    },
  ],
  opencode: (dir, message, session) => [{ event: 'idle', session, prompt: 'p', cwd: dir, message }],
  pi: (dir, message, session) => [{ event: 'end', session, prompt: '1', cwd: dir, message, stopReason: 'stop' }],
}
