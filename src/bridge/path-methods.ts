// Methods of each path, for a request with another one (RFC 9110 §15.5.6). server.ts and streams.ts have the routes.

interface PathMethod {
  readonly pattern: RegExp;
  readonly method: string;
}

export class PathMethods {
  private readonly known: PathMethod[] = [];

  /** Note a route. @param url in Fastify's form: `:name` for the variable part */
  add(method: string | readonly string[], url: string): void {
    const pattern = new RegExp(`^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}/?$`);
    for (const one of [method].flat()) this.known.push({ pattern, method: one });
  }

  /** The methods that a path takes, as the header Allow has them; null for a path that is none. */
  allowedAt(target: string): string | null {
    // A target may have the host before its path, as for a proxy (RFC 9112 §3.2.2).
    const path = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0]!;
    const methods = this.known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return methods.length === 0 ? null : [...new Set(methods)].sort().join(', ');
  }
}
