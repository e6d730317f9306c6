/** Three tones of a colour: in full light, normal, and in shadow. The light comes from the top left. */
export interface Tone {
  readonly light: string;
  readonly base: string;
  readonly shade: string;
}

/** All colours of products. A product uses two or three of the tones. */
export const palette = {
  ink: { light: '#5b6780', base: '#343e54', shade: '#232b3f' },
  coral: { light: '#f58f78', base: '#e5634a', shade: '#c04a37' },
  orange: { light: '#f7a763', base: '#ec8033', shade: '#c9631f' },
  amber: { light: '#fcd988', base: '#f4b942', shade: '#d89428' },
  leaf: { light: '#88c47c', base: '#56a25c', shade: '#3c7d4a' },
  teal: { light: '#62bcae', base: '#31978a', shade: '#227468' },
  sky: { light: '#b4dcf2', base: '#74badf', shade: '#4d97c2' },
  denim: { light: '#7398c9', base: '#486fa6', shade: '#355584' },
  plum: { light: '#ab8bcb', base: '#8161aa', shade: '#634688' },
  rose: { light: '#f8bfc9', base: '#ee95a6', shade: '#d27187' },
  wood: { light: '#e6b884', base: '#cd935b', shade: '#a8713f' },
  walnut: { light: '#a8734c', base: '#815234', shade: '#5f3b25' },
  steel: { light: '#eef2f6', base: '#cad3dd', shade: '#9ba8b7' },
  cream: { light: '#fffaf0', base: '#f7ead2', shade: '#e2ceaa' },
} as const satisfies Record<string, Tone>;

/** The colour of highlights on glossy surfaces and of paper. Highlights are transparent. */
export const white = '#ffffff';
