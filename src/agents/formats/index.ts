import type { EventFormat } from '../format.ts'
import { acp } from './acp.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import { json } from './json.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'

/** Every agent whose events can be read. Detection tries them in this order, the least specific last. */
export const EVENT_FORMATS: readonly EventFormat[] = [
  ...[qwen, droid, claude, codex, gemini, opencode, pi, copilot, acp],
  json,
]
