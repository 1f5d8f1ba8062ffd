/** A part of the page as text, with the hash by which the page's policy knows it; see scripts/page-parts.mjs. */
declare module '*?page' {
  const part: { readonly text: string; readonly hash: string }
  export default part
}
