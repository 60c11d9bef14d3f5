// Decides which HTTP requests are upgraded. A client may offer another protocol, as Java's does with HTTP/2 on every
// request; it goes on in HTTP/1.1 (RFC 9110, Upgrade). An upgraded request has no body, and its connection ends if no
// handler takes it.

/** Whether a request asks for a WebSocket. */
export function asksForWebSocket({
  headers,
}: {
  readonly headers: { readonly upgrade?: string | undefined };
}): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}
