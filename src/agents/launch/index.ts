import { aider } from './aider.ts'
import { amp } from './amp.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import { goose } from './goose.ts'
import { kimi } from './kimi.ts'
import { kiro } from './kiro.ts'
import type { Launcher } from './launcher.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'

/** Every agent that `--agent` accepts. */
export const LAUNCHERS: readonly Launcher[] = [
  ...[claude, codex, gemini, opencode, pi],
  ...[qwen, copilot, droid, goose, kimi, cursor, kiro, amp, aider],
]
