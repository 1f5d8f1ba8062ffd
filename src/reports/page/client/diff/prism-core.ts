/// <reference path="./prism.d.ts" />
import './prism-setup.ts'
import Prism from 'prismjs/components/prism-core.js'

/** The grammars add themselves to a global variable. */
Object.assign(globalThis, { Prism })

export { Prism }
