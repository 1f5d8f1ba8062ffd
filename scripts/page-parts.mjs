import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const MARK = '?page'
const NOTICE = [
  '/*! With uPlot 1.6.32, MIT License, Copyright (c) 2022 Leon Sorokin;',
  'Prism 1.30.0, MIT License, Copyright (c) 2012 Lea Verou;',
  'jsdiff 9.0.0, BSD 3-Clause License, Copyright (c) 2009-2015 Kevin Decker */',
].join(' ')

/**
 * A plugin for tsdown and vitest. `import part from './client/main.ts?page'` returns the compiled script or style sheet as text,
 * with its hash for the page's content security policy. So a report made from the sources has the same code as one made by the
 * package.
 */
export function pageParts() {
  return {
    name: 'page-parts',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.endsWith(MARK) || importer === undefined) return null
      // The result is always a script, so plugins that recognise style sheets by their name must not touch it.
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
    // A script can't contain what ends a script element in HTML; in a string or a pattern the backslash changes nothing.
    return `${NOTICE}\n${output[0].code.trim()}`.replace(/<\/(?=script)/gi, '<\\/')
  } finally {
    await bundle.close()
  }
}

/** Removes comments and blank lines. */
function style(file) {
  const charts = createRequire(file).resolve('uplot/dist/uPlot.min.css')
  return `${readFileSync(charts, 'utf8').trim()}\n${readFileSync(file, 'utf8')}`
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .trim()
}
