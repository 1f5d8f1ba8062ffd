declare module 'prismjs/components/prism-core.js' {
  const core: typeof import('prismjs')
  export default core
}
