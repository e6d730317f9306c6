/** The part of the package that the tests use. It has no types of its own. */
declare module 'split2' {
  export default function split(parse: (line: string) => unknown): NodeJS.ReadWriteStream;
}
