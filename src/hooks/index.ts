import { claude } from './claude.ts'
import { codex, droid, goose, grok, qoder, qwen } from './claude-like.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import type { HookClient } from './hook-client.ts'
import { kimi } from './kimi.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

/** Every agent CLI that can ask exitgate before its agent stops. */
export const HOOK_CLIENTS: readonly HookClient[] = [
  claude,
  codex,
  gemini,
  copilot,
  cursor,
  opencode,
  pi,
  qwen,
  droid,
  goose,
  grok,
  kimi,
  qoder,
]
