// A private key outside this process: a command signs, such as pkcs11-tool for an HSM, or a program that asks Vault or a KMS. It gets
// the bytes on standard input and writes the signature. Bounded in time, in children at a time and in waiting signatures. Each
// signature is proved with the public key before it is used, so that a wrong key sends nothing.

import { spawn } from 'node:child_process';
import { createHash, type KeyObject, verify } from 'node:crypto';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { Seldom } from '../../base/seldom.ts';

/** Where the private key is. */
export type SignerPlace =
  | {
      readonly kind: 'exec';
      /** Program and arguments; no shell reads them. */
      readonly command: readonly string[];
      /** The bytes that it gets: the message, or its SHA-256. */
      readonly input: 'message' | 'digest';
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'pkcs11';
      /** Path of the module. */
      readonly module: string;
      readonly tokenLabel: string;
      readonly keyLabel: string;
      readonly pin: string;
      readonly timeoutMs: number;
    };

/** Children at a time. */
export const CHILDREN_MAX = 8;
/** Signatures that wait for one of them: commands wait for a place before they are signed (command-lane.ts), logins here. */
const WAITING_MAX = 100;
const OUTPUT_BYTES_MAX = 16_384;
/** A failing signer is alarmed at most this often. */
const ALARM_MS = 10_000;
const RAW_BYTES = 64;
const PIN_VARIABLE = 'CROSSGATE_PKCS11_PIN';

export class ExternalSigner {
  readonly #place: SignerPlace;
  readonly #publicKey: KeyObject;
  readonly #onFailure: (text: string) => void;
  readonly #seldom = new Seldom(ALARM_MS);
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(place: SignerPlace, publicKey: KeyObject, onFailure: (text: string) => void) {
    this.#place = place;
    this.#publicKey = publicKey;
    this.#onFailure = onFailure;
  }

  /** ECDSA with SHA-256, DER in base64. @throws CrossgateError XG_SIGNER_FAILED */
  async sign(text: string): Promise<string> {
    try {
      const message = Buffer.from(text, 'utf8');
      await this.#turn();
      let output: Buffer;
      try {
        output = await this.#run(message);
      } finally {
        this.#running--;
        this.#waiting.shift()?.();
      }
      const signature = derOf(output);
      if (signature === null) throw failed('it wrote no ECDSA signature');
      if (!verify('sha256', message, this.#publicKey, signature)) {
        throw failed('its signature is not of the public key of the credential');
      }
      return signature.toString('base64');
    } catch (error) {
      const { message } = error as Error;
      this.#seldom.tell('failed', performance.now(), {}, () => this.#onFailure(message));
      throw error;
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= CHILDREN_MAX) {
      if (this.#waiting.length >= WAITING_MAX) throw failed(`${WAITING_MAX} signatures wait already`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running++;
  }

  #run(message: Buffer): Promise<Buffer> {
    const { program, args, input, environment } = commandOf(this.#place, message);
    const { timeoutMs } = this.#place;
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: { ...process.env, ...environment },
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      let timer: NodeJS.Timeout | undefined;
      const end = (error: CrossgateError | null): void => {
        clearTimeout(timer);
        child.kill('SIGKILL');
        if (error === null) resolve(Buffer.concat(chunks));
        else reject(error);
      };
      child.on('spawn', () => {
        timer = setTimeout(() => end(failed(`no signature within ${timeoutMs} ms`)), timeoutMs);
      });
      child.on('error', ({ message: why }) => end(failed(why)));
      // A child that reads nothing closes its input; its exit code says the rest.
      child.stdin.on('error', () => {});
      child.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > OUTPUT_BYTES_MAX) end(failed(`it wrote more than ${OUTPUT_BYTES_MAX} bytes`));
        else chunks.push(chunk);
      });
      child.on('close', (code, signal) => {
        end(code === 0 ? null : failed(`${program} ended with ${signal ?? `code ${code}`}`));
      });
      child.stdin.end(input);
    });
  }
}

function failed(why: string): CrossgateError {
  return new CrossgateError('XG_SIGNER_FAILED', `the signer of the exchange key failed: ${why}`);
}

interface SigningCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: Buffer;
  readonly environment: Readonly<Record<string, string>>;
}

function commandOf(place: SignerPlace, message: Buffer): SigningCommand {
  const digest = (): Buffer => createHash('sha256').update(message).digest();
  if (place.kind === 'exec') {
    const [program = '', ...args] = place.command;
    return { program, args, input: place.input === 'digest' ? digest() : message, environment: {} };
  }
  const { module, tokenLabel, keyLabel, pin } = place;
  // Other users see arguments, not the environment.
  const login = ['--module', module, '--token-label', tokenLabel, '--login', '--pin', `env:${PIN_VARIABLE}`];
  const how = ['--sign', '--mechanism', 'ECDSA', '--signature-format', 'openssl', '--label', keyLabel];
  const args = [...login, ...how];
  return { program: 'pkcs11-tool', args, input: digest(), environment: { [PIN_VARIABLE]: pin } };
}

/** The signature in DER (trading-api.md, Signature encoding). Commands write DER or r and s, as bytes, base64 or hex. */
function derOf(output: Buffer): Buffer | null {
  const direct = asDer(output);
  if (direct !== null) return direct;
  // Vault writes `vault:v1:` before it.
  const text = output
    .toString('latin1')
    .trim()
    .replace(/^vault:v\d+:/, '');
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) return asDer(Buffer.from(text, 'hex'));
  if (/^[A-Za-z0-9+/_=-]+$/.test(text)) return asDer(Buffer.from(text, 'base64'));
  return null;
}

function asDer(bytes: Buffer): Buffer | null {
  if (bytes[0] === 0x30 && bytes[1] === bytes.length - 2 && bytes.length > 7) return bytes;
  if (bytes.length !== RAW_BYTES) return null;
  const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)].map(integer);
  return Buffer.concat([Buffer.from([0x30, r!.length + s!.length]), r!, s!]);
}

/** An unsigned number as INTEGER. */
function integer(bytes: Buffer): Buffer {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const digits = bytes.subarray(from);
  const sign = digits[0]! >= 0x80 ? [0] : [];
  return Buffer.from([0x02, digits.length + sign.length, ...sign, ...digits]);
}
