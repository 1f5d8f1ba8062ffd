import { describe, expect, it } from 'vitest'
import { discardClaim, NO_SIGNALS, readSignals } from '../../src/core/signals/read-signals.ts'
import { transcript } from './transcript.ts'

describe('reading the signals', () => {
  it('uses your patterns only if there are any', async () => {
    const said = transcript('It is finished.\n')
    const patterns = ['It is finished']
    expect((await readSignals(said, { patterns })).phrases).not.toEqual((await readSignals(said, {})).phrases)
    expect(await readSignals(said, { patterns: [] })).toEqual(await readSignals(said, {}))
  })

  it('discards only a claim', () => {
    const claimed = { ...NO_SIGNALS, claim: true, vetoes: ['first'] }
    expect(discardClaim(claimed, 'it crashed')).toEqual({ ...claimed, vetoes: ['first', 'it crashed'] })
    for (const signals of [NO_SIGNALS, { ...NO_SIGNALS, claim: false }])
      expect(discardClaim(signals, 'it crashed')).toEqual(signals)
  })
})
