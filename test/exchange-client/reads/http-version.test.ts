// The client's offer to an exchange over TLS: HTTP/1.1 alone, one request at a time on a connection.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { HttpOrigin } from '../../../src/exchange-client/reads/http.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';

test('U1 never agrees on HTTP/2 with the exchange, which would carry several requests on one connection', async () => {
  const { keyPem, certificatePem } = await createSelfSignedCertificate({ commonName: 'localhost' });
  const offered: string[][] = [];
  const server = createServer({
    key: keyPem,
    cert: certificatePem,
    ALPNCallback: ({ protocols }) => {
      offered.push(protocols);
      return protocols.includes('h2') ? 'h2' : 'http/1.1';
    },
  });
  server.on('tlsClientError', () => {});
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = new HttpOrigin(`https://localhost:${port}`, { connections: 1, connectMs: 2_000, requestMs: 2_000 });
  onTestFinished(() => origin.close());
  const result = await origin.send({ method: 'GET', target: '/', headers: {}, body: null });
  // The certificate is of no authority: nothing left.
  expect(result.kind).toBe('notSent');
  expect(offered).toEqual([['http/1.1']]);
});
