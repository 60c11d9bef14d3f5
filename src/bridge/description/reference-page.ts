// The descriptions of the bridge over HTTP: OpenAPI, AsyncAPI, and a page to browse the calls. The page is Swagger UI from
// the package: no other host is asked for anything, and its policy lets no browser try.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { BridgeClients } from '../passed-client.ts';
import { Problem } from '../problem.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossgate bridge</title>
<link rel="icon" href="/reference/favicon-32x32.png">
<link rel="stylesheet" href="/reference/swagger-ui.css">
</head>
<body>
<div id="calls"></div>
<script src="/reference/swagger-ui-bundle.js"></script>
<script src="/reference/start.js"></script>
</body>
</html>
`;
/** Without the badge of the validator, which another host would make. */
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#calls', deepLinking: true, docExpansion: 'none', validatorUrl: null });
`;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES: Readonly<Record<string, string>> = {
  'favicon-32x32.png': 'image/png',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Add the routes. No token is needed to read them: they hold no data. */
export function addDescription(server: FastifyInstance, clients: BridgeClients): void {
  let openApi: string | null = null;
  server.get('/openapi.json', (_request, reply) => {
    openApi ??= JSON.stringify(openApiDocument());
    return reply.type('application/json').send(openApi);
  });
  server.get('/asyncapi.json', (request, reply) => {
    const address = `${clients.of(request).isSecure ? 'https' : 'http'}://${request.headers.host ?? '127.0.0.1'}`;
    return reply.type('application/json').send(JSON.stringify(asyncApiDocument(address)));
  });
  server.get('/reference', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .send(PAGE),
  );
  server.get('/reference/start.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(START));
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  server.get<{ Params: { file: string } }>('/reference/:file', ({ params }, reply) => {
    const type = TYPES[params.file];
    if (type === undefined) throw new Problem('not-found', 'The page of the calls is /reference.');
    return reply
      .type(type)
      .header('cache-control', 'max-age=3600')
      .send(readFileSync(join(folder, params.file)));
  });
}
