import { newLines } from '../tree/line-diff.ts'
import type { ChangedFile } from './sides.ts'

/** Code that replaces product code in tests, or decides which of them count: words, and a value for a property. */
const PATCHES =
  /^\s*(?!(?:process|globalThis|global|window|module|exports|self|this|os|sys)\.)[\w$]+(?:\.[\w$]+)+\s*=(?![=>])|\b(?:monkeypatch|mock\w*|patch\w*|stub\w*|sinon|spyOn|setattr|defineProperty|skip\w*|xfail|pytest_(?:runtest|collection|pyfunc|report|sessionfinish)\w*|hookwrapper|set_exception|exit(?:status|code)?|os\._exit)\b/im

/** Whether the new lines of a file that tests need may hide what the product does. */
export const replacesProduct = (change: ChangedFile | undefined): boolean => PATCHES.test(newLines(change))
