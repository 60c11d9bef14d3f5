// The content security policy of pages that the admin server serves: files of this server only.

import { createHash } from 'node:crypto';

/**
 * The policy of `page`: scripts within it are named by their digest. `styleSrc` are the sources of styles.
 */
export function contentSecurityPolicy(page: string, styleSrc: string): string {
  const inline = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const digests = inline.map(([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${digests.join(' ')}`,
    `style-src ${styleSrc}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
