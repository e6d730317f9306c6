/** A request as it is sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty or undefined where there is none. */
  readonly body?: string;
}

/** Commands for a shell that send some requests to the server at `url`, each once the one before it was answered; the last shows its answer. */
export function asCurl(url: string, requests: readonly Sent[]): string {
  const commands = requests.map((request, place) => {
    const shown = place === requests.length - 1 ? '-i' : '-o /dev/null';
    return `curl -s ${shown} ${partsOf(url.replace(/\/+$/, ''), request).join(' ')}`;
  });
  return commands.join(' && ');
}

function partsOf(url: string, { method, path, headers = {}, body = '' }: Sent): readonly string[] {
  const told = Object.entries(headers).filter(([name]) => !/^(user-agent|content-length)$/i.test(name));
  return [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quoted(url + path),
    ...told.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-binary ${/^ +$/.test(body) ? `"$(printf '%${body.length}s')"` : quoted(body)}`]),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
