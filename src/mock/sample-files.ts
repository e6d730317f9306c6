import { removeTypeParameters } from '../openapi/media-types.ts';

/** An image with one gray pixel, in Base64. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
const GIF = 'R0lGODlhAQABAIAAAICAgP///ywAAAAAAQABAAACAkQBADs=';
const WEBP = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADMDOJaQAA3AA/u7uAAA=';
const JPEG =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#888"/></svg>`;
const HTML =
  '<!doctype html><html lang="en"><head><title>Example</title></head><body><h1>Example</h1><p>A short text.</p></body></html>';
const CSV = 'id,name\r\n1,Amber Meadow\r\n2,Quiet Harbor\r\n';
const TEXT = 'A short text.';

/** Functions that create a small valid file, by media type. */
const FILES: ReadonlyMap<string, () => Buffer | string> = new Map(
  Object.entries({
    'image/png': () => Buffer.from(PNG, 'base64'),
    'image/*': () => Buffer.from(PNG, 'base64'),
    'image/jpeg': () => Buffer.from(JPEG, 'base64'),
    'image/jpg': () => Buffer.from(JPEG, 'base64'),
    'image/gif': () => Buffer.from(GIF, 'base64'),
    'image/webp': () => Buffer.from(WEBP, 'base64'),
    'image/svg+xml': () => SVG,
    'audio/mpeg': createMp3,
    'audio/mp3': createMp3,
    'audio/wav': createWav,
    'audio/wave': createWav,
    'audio/x-wav': createWav,
    'audio/*': createWav,
    'application/pdf': createPdf,
    'application/zip': createZip,
    'application/octet-stream': () => Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]),
    'text/html': () => HTML,
    'text/csv': () => CSV,
    'text/plain': () => TEXT,
    'text/markdown': () => `# Example\n\n${TEXT}\n`,
  }),
);

/**
 * Returns a small valid file of a media type: a string for text.
 * Returns undefined for JSON, XML, and unknown types.
 */
export function createSampleFile(type: string): Buffer | string | undefined {
  return FILES.get(removeTypeParameters(type))?.();
}

/**
 * Creates a PDF of one empty page (ISO 32000-1, section 7.5).
 * Its cross-reference table contains the offset of each object.
 */
function createPdf(): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<<>>>>',
  ];
  let text = '%PDF-1.4\n';
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [index, object] of objects.entries()) {
    table += `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj${object}endobj\n`;
  }
  return `${text}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** Creates a silent WAVE file of eight samples, 8 bits each at 8 kHz. */
function createWav(): Buffer {
  const samples = Buffer.alloc(8, 128);
  const header = Buffer.alloc(44);
  header.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  // The format (PCM), and the number of channels.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  // The number of samples per second, and of bytes per second.
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(8_000, 28);
  // The number of bytes per sample, and of bits per sample.
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Creates an MP3 file of one silent frame. A frame of 128 kbit/s at 44.1 kHz has 417 bytes (MPEG-1 layer III). */
function createMp3(): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return frame;
}

/** Creates an empty ZIP archive, which consists only of an end record. */
function createZip(): Buffer {
  const record = Buffer.alloc(22);
  record.write('PK\x05\x06', 'latin1');
  return record;
}
