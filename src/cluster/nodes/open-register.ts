// The register of a cluster for a command: without listening, on one connection.

import type { PostgresConfig } from '../../runtime/mod.ts';
import { SharedRows } from '../../store/mod.ts';
import { Register } from './register.ts';

/** The register where the journals of this store lie. Nothing is connected before its first use. */
export function openRegister({ url, requestTimeoutMs, journal }: PostgresConfig): {
  register: Register;
  close: () => Promise<void>;
} {
  const rows = new SharedRows({ url: () => url.read(), requestTimeoutMs });
  return { register: new Register(rows, journal), close: () => rows.close() };
}
