/** The part of the package that the tests use. It has no types of its own. */
declare module 'split2' {
  // biome-ignore lint/style/noDefaultExport: the package has a default export.
  export default function split(parse: (line: string) => unknown): NodeJS.ReadWriteStream;
}
