import reportStyle from '../reports/page/client/page.css?page'
import script from './client/main.ts?page'
import style from './client/watch.css?page'

/** Only this script and these style sheets apply, and the page connects only to this server. */
const POLICY = [
  "default-src 'none'",
  `script-src '${script.hash}'`,
  `style-src '${reportStyle.hash}' '${style.hash}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** On every answer, whatever it is. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The page without data: it shows no run until it has sent its token. */
export const PAGE = [
  '<!doctype html>',
  '<html lang="en">',
  '<head>',
  '<meta charset="utf-8">',
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  '<meta name="color-scheme" content="light dark">',
  '<link rel="icon" href="data:,">',
  '<title>exitgate watch</title>',
  `<style>${reportStyle.text}</style>`,
  `<style>${style.text}</style>`,
  '</head>',
  '<body>',
  '<noscript><p>This page is drawn by a script. exitgate watch --tty needs none.</p></noscript>',
  '<div id="page"></div>',
  `<script>${script.text}</script>`,
  '</body>',
  '</html>',
  '',
].join('\n')
