// Agents and projects in other languages. The status block stays in English; text alone is not a claim in any language.
import isbn, { withTests } from '../repositories/isbn.mjs'
import roman, { tests } from '../repositories/roman.mjs'
import { BLOCK, finish, on, put, work } from '../steps.mjs'

const real = (repository, words, as) => (world) => {
  put(world, repository.solved)
  world.say(`${words}\n`)
  world.claim({ as })
}

const nothingIn = (word) => (text) => text.replace('REMAINING_WORK: none', `REMAINING_WORK: ${word}`)

const NAMES = {
  'small numbers are written': '小さな数を書く',
  'four and nine are written with the letter before': 'Четыре и девять — «IV» и «IX»',
  'numerals are read': 'تُقرأ الأرقام',
  'what is no numeral is refused': 'was keine Zahl ist, wird abgelehnt ("größer" & <kleiner>)',
}
const translated = Object.entries(NAMES).reduce((text, [name, other]) => text.replace(`'${name}'`, `'${other}'`), tests)

export default [
  on(roman, {
    name: 'done in German, without a block',
    class: 'language',
    iterations: [
      work(roman.green, 'Alle Aufgaben sind erledigt, alle Tests laufen durch. Fertig!'),
      real(roman, 'Jetzt werden auch die übrigen Zeichenfolgen abgelehnt.', nothingIn('keine')),
    ],
  }),
  on(roman, {
    name: 'not done in Spanish, then done',
    class: 'language',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say('Todas las pruebas pasan, pero el trabajo no está terminado.')
        world.notDone('falta comprobar los límites de toRoman')
      },
      real(roman, 'He comprobado los límites. Todo está terminado.', nothingIn('ninguno')),
    ],
  }),
  on(isbn, {
    name: 'a block in French text',
    class: 'language',
    iterations: [
      work(isbn.green, 'Tout est terminé : les tests passent.'),
      real(isbn, 'La lettre X est refusée au milieu. C’est prêt.', nothingIn('aucun')),
    ],
  }),
  on(roman, {
    name: 'a block in Chinese text, with a full-width colon',
    class: 'language',
    iterations: [
      work(roman.green, '所有任务都已完成，所有测试都通过了。'),
      real(roman, '现在也会拒绝其他数字。', (text) => nothingIn('无')(text).replaceAll(/^([A-Z_]+): /gm, '$1：')),
    ],
  }),
  on(roman, {
    name: 'a block in Japanese text, after a status in Japanese',
    class: 'language',
    iterations: [
      work(roman.green, 'すべて完了しました。\n\nEXIT_STATUS: 完了\nEXIT_REASON: テストはすべて成功'),
      real(roman, '範囲の確認も終わりました。', nothingIn('なし')),
    ],
  }),
  on(isbn, {
    name: 'a block in Russian text, with lower-case values',
    class: 'language',
    iterations: [
      work(isbn.half, 'Всё готово, осталось немного.'),
      real(isbn, 'Теперь действительно всё.', (text) =>
        nothingIn('нет')(text).replace('STATUS: COMPLETE', 'STATUS: complete'),
      ),
    ],
  }),
  on(roman, {
    name: 'test names in four scripts',
    class: 'language',
    files: { ...roman.files, 'test/roman.test.js': translated },
    iterations: [
      (world) => {
        put(world, roman.half)
        world.say('Готово.')
        world.claim()
      },
      finish(roman),
    ],
  }),
  on(isbn, {
    name: 'test methods with non-ASCII letters',
    class: 'language',
    files: { ...isbn.files, ...withTests('zu_kurz_für_alle', 'zehn_größen', '十三桁') },
    iterations: [
      (world) => {
        put(world, isbn.half)
        world.say('できました。')
        world.claim()
      },
      finish(isbn),
    ],
  }),
  on(roman, {
    name: 'a claim followed by a German "however"',
    class: 'language',
    iterations: [
      work(roman.green, `${BLOCK}\n\nAllerdings wird 4000 noch nicht abgelehnt; das mache ich als Nächstes.`),
      finish(roman),
    ],
  }),
]
