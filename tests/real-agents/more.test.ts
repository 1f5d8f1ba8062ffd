import { play } from './play.ts'

// Their own retries take minutes, so errors of the model are golden pairs.
play('qwen', [])
play('qwen-newest', [])
play('copilot', [], { reportsTokens: false })
play('droid', [], { resumes: false })
