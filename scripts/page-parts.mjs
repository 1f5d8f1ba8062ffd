import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const MARK = '?page'
const NOTICE = '/*! With uPlot 1.6.32, MIT License, Copyright (c) 2022 Leon Sorokin */'

/**
 * For tsdown and vitest alike: `import part from './client/main.ts?page'` gives the compiled script (or the style sheet) as text, with the
 * hash by which the page's policy lets it run. So a report made from the sources holds the same code as one made by the package.
 */
export function pageParts() {
  return {
    name: 'page-parts',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.endsWith(MARK) || importer === undefined) return null
      // What is made of it is a script, whatever it was: others that know sheets by their name keep their hands off.
      return `\0page:${resolve(dirname(importer), source.slice(0, -MARK.length))}.js`
    },
    async load(id) {
      if (!id.startsWith('\0page:')) return null
      const file = id.slice('\0page:'.length, -'.js'.length)
      const text = file.endsWith('.css') ? style(file) : await script(file)
      const hash = `sha256-${createHash('sha256').update(text).digest('base64')}`
      return `export default ${JSON.stringify({ text, hash })}`
    },
  }
}

async function script(file) {
  const bundle = await rolldown({ input: file, platform: 'browser', logLevel: 'warn' })
  try {
    const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false })
    // What ends a script element in HTML can stand in no script; in a text or a pattern the stroke says the same.
    return `${NOTICE}\n${output[0].code.trim()}`.replace(/<\/(?=script)/gi, '<\\/')
  } finally {
    await bundle.close()
  }
}

/** Comments and the room between lines are for those who read the source. */
function style(file) {
  const charts = createRequire(file).resolve('uplot/dist/uPlot.min.css')
  return `${readFileSync(charts, 'utf8').trim()}\n${readFileSync(file, 'utf8')}`
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .trim()
}
