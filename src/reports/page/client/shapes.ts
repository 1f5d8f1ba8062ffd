import { ANSWER_TEXT } from '../../../core/policy/check-text.ts'
import type { Answer } from '../../../core/types.ts'
import { CLAIM_TEXT } from '../../plain-words.ts'
import { el, svg } from './dom.ts'

/** Each answer has its own shape, so that colour is not needed: a disc with a tick, a square with a cross, an open ring, a dash. */
const PATHS: Readonly<Record<Answer | 'left', readonly [outer: string, inner: string]>> = {
  yes: ['M8 1a7 7 0 1 0 0 14a7 7 0 1 0 0-14z', 'M4.8 8.2l2.3 2.3l4.2-4.8'],
  no: [
    'M2.5 1.5h11a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1z',
    'M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4',
  ],
  left: ['', 'M3.5 8h9'],
  unknown: [
    'M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 1 0 0-12.4z',
    'M6.2 6.3c.1-2.2 3.7-2.2 3.7 0c0 1.3-1.9 1.4-1.9 2.7M8 11.3v.1',
  ],
}

export function shape(answer: keyof typeof PATHS): HTMLElement {
  const [outer, inner] = PATHS[answer]
  const drawn = svg(
    'svg',
    { viewBox: '0 0 16 16', width: '16', height: '16', 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { d: outer, class: 'outer' }),
    svg('path', { d: inner, class: 'inner' }),
  )
  return el('span', { class: `shape ${answer}` }, drawn)
}

/** The shape with `pass`, `fail` or `unknown`. */
export const answer = (value: Answer): HTMLElement =>
  el('span', { class: `answer ${value}` }, shape(value), ANSWER_TEXT[value])

/** What the agent says has no result: an agent that says work is left has not failed. */
const claimShape = (claim: Answer): HTMLElement => shape(claim === 'no' ? 'left' : claim)
export const claimed = (claim: Answer): HTMLElement =>
  el('span', { class: `answer ${claim === 'no' ? 'left' : claim}` }, claimShape(claim), CLAIM_TEXT[claim])

/** Two shapes, with words for those who don't see them. */
export function claimAndProof(claim: Answer = 'unknown', proof: Answer = 'unknown'): readonly HTMLElement[] {
  const named = (said: string, drawn: HTMLElement): HTMLElement =>
    el('span', { title: said }, el('span', { class: 'unseen' }, ` ${said} `), drawn)
  return [named(`claim: ${CLAIM_TEXT[claim]}`, claimShape(claim)), named(`proof: ${ANSWER_TEXT[proof]}`, shape(proof))]
}

/** Only a verified end counts as a pass. An interrupted one is unknown. */
export function answerOfEnd(outcome: string | undefined, ending: string | undefined): Answer {
  if (outcome === 'completed') return ending === 'verified' ? 'yes' : 'unknown'
  return outcome === undefined || outcome === 'interrupted' ? 'unknown' : 'no'
}
