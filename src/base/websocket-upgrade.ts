// Which requests of an HTTP server are upgraded. What offers another protocol, as Java's client does HTTP/2 with every request, may
// go on in HTTP/1.1 (RFC 9110, Upgrade): of what is upgraded no body is read, and its connection ends where nobody takes it.

/** Whether a request asks for a WebSocket. */
export function asksForWebSocket({
  headers,
}: {
  readonly headers: { readonly upgrade?: string | undefined };
}): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}
