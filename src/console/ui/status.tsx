/** An HTTP status in the color of its class, such as 4xx. */
export function Status({ status }: { readonly status: number | undefined }) {
  if (status === undefined) return <span class="status status-none">none</span>;
  return <span class={`status status-${Math.floor(status / 100)}`}>{status}</span>;
}
