/** The consonants of a word behind its first letter, doubled ones once: "bsktbl" of basketball. */
export function getConsonants(word: string): string {
  return (
    word.charAt(0) +
    word
      .slice(1)
      .replaceAll(/[aeiou]/g, '')
      .replaceAll(/(.)\1+/g, '$1')
  );
}

/** Whether the letters of one text stand in another in the same order. */
export function isWithin(text: string, word: string): boolean {
  let at = 0;
  for (let from = 0; at < text.length && from < word.length; from++) if (text[at] === word[from]) at++;
  return at === text.length;
}

/** How many letters of a word's end are its tail, at least. */
const TAIL = 3;

/** What a head and tail has of a word, at least: its first letter and its last ones. */
export function endsOf(word: string): string {
  return word.charAt(0) + word.slice(-TAIL);
}

/** Whether a text is the head and the tail of a word that has at least two letters more: "bball" of basketball. */
export function isHeadAndTail(text: string, word: string): boolean {
  if (word.length < text.length + 2) return false;
  let head = 0;
  while (head < text.length && text[head] === word[head]) head++;
  let tail = 0;
  while (tail < text.length && text.at(-1 - tail) === word.at(-1 - tail)) tail++;
  return head >= 1 && tail >= TAIL && head + tail >= text.length;
}

/** The other number of a word, each way in which it may be written: singular of plural, plural of singular. */
export function otherNumbersOf(word: string): readonly string[] {
  if (word.length < 3) return [];
  const forms = [`${word}s`, `${word}es`];
  if (word.endsWith('y')) forms.push(`${word.slice(0, -1)}ies`);
  if (word.endsWith('f')) forms.push(`${word.slice(0, -1)}ves`);
  if (word.endsWith('fe')) forms.push(`${word.slice(0, -2)}ves`);
  if (word.endsWith('s') && !word.endsWith('ss')) forms.push(word.slice(0, -1));
  if (word.endsWith('es')) forms.push(word.slice(0, -2));
  if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`);
  if (word.endsWith('ves')) forms.push(`${word.slice(0, -3)}f`, `${word.slice(0, -3)}fe`);
  return forms;
}
