import { newLines } from '../tree/line-diff.ts'
import type { ChangedFile } from './sides.ts'

/** Code that replaces product code in tests, or decides which of them count: words, and a value for a property. */
const PATCHES =
  /^\s*(?!(?:process|globalThis|global|window|module|exports|self|this|os|sys)\.)[\w$]+(?:\.[\w$]+)+\s*=(?![=>])|\b(?:monkeypatch|mock\w*|patch\w*|stub\w*|sinon|spyOn|setattr|defineProperty|skip\w*|xfail|pytest_(?:runtest|collection|pyfunc|report|sessionfinish)\w*|hookwrapper|set_exception|exit(?:status|code)?|os\._exit)\b/im

/**
 * What files that tests need do to make them pass, as a sentence: code that patches or marks something hides it. Others are only named.
 * `machinery`: the changed files that decide how the tests run, with what they can do.
 */
export const helperJudge =
  (
    changes: readonly ChangedFile[],
    restored: ReadonlySet<string>,
    machinery: readonly { readonly path: string; readonly effect: string }[],
  ) =>
  (needs: readonly string[]): string | undefined => {
    // A script or settings may load a file that does not belong to the tests.
    const own = machinery.filter(({ path }) => needs.includes(path) || !restored.has(path))
    const patching = own.find(({ path }) => PATCHES.test(newLines(changes.find((each) => each.path === path))))
    return patching && `${patching.path} ${patching.effect}.`
  }
