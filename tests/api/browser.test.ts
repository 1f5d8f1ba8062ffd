import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missing, openAddress } from '../browser/chromium.ts'
import { blocksOf } from '../docs/blocks.ts'
import { asJavaScript, type Installed, install } from './packed.ts'

let installed: Installed
beforeAll(() => {
  installed = install()
}, 240_000)
afterAll(() => installed?.remove())

const page = blocksOf('docs/library.md')
const program = page.find(({ words }) => words.includes('browser'))

/** Bundled for a browser, as its author would: an import from Node would be an error here. */
async function bundled(text: string): Promise<string> {
  const input = installed.write('program.mjs', asJavaScript(text))
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  expect(output[0].imports).toEqual([])
  return output[0].code
}

describe('exitgate/core in a browser', () => {
  it('decides as in Node', { timeout: 120_000 }, async ({ skip }) => {
    skip(missing !== undefined, missing ?? '')
    const code = await bundled(program?.text ?? '')
    const html = join(installed.dir, 'page.html')
    writeFileSync(
      html,
      `<!doctype html><meta charset="utf-8"><script>${code.replaceAll('</script', '<\\/script')}</script>`,
    )
    const { trouble } = await openAddress(pathToFileURL(html).href)
    const expected = page[page.indexOf(program!) + 1]?.text.split('\n') ?? []
    expect(trouble).toEqual(expected.map((line) => `console: ${line}`))
  })
})
