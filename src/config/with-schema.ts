/** Everything that needs the schema while a configuration is loaded. */
export { readEnvironment } from './env-values.ts'
export { readConfigFile } from './read-file.ts'
export { problemsOf } from './validate.ts'
