// Every class of scenario, one file and one line each. The name of the file is the class.
import honest from './honest.mjs'
import premature from './premature.mjs'

export const scenarios = [...honest, ...premature]
