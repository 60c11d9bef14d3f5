// Carries out BridgeRequest(UBQ) of a session at the bridge of this gateway, as the caller that its file names. The gateway
// machine writes the BridgeResponse(UBR).

import type { GatewayEffect, GatewayInput } from '../../gateway/mod.ts';
import type { RunningEngine } from '../running-engine.ts';

/** Answer by an input, later. Never throws. */
export function callBridge(
  engine: Pick<RunningEngine, 'bridge' | 'log'>,
  { sessionId, bridgeReqID, sender, caller, method, path, body }: Extract<GatewayEffect, { kind: 'bridge' }>,
  input: (input: GatewayInput) => void,
): void {
  const answered = (status: number, text: string): void => {
    // JSON writes SOH by an escape; anything else would end the field.
    const bytes = Buffer.from(text.replaceAll('\u0001', '?')).toString('latin1');
    input({ kind: 'bridgeAnswered', sessionId, bridgeReqID, sender, status, body: bytes });
  };
  if (engine.bridge === null) {
    answered(503, JSON.stringify({ status: 503, detail: 'The bridge of this gateway is not open.' }));
    return;
  }
  const text = body === null ? null : Buffer.from(body, 'latin1').toString();
  engine.bridge.call(caller, { method, path, body: text }).then(
    (answer) => answered(answer.status, answer.body),
    (error: unknown) => {
      engine.log('error', `a request to the bridge failed: ${String(error)}`, { session: sessionId });
      answered(
        500,
        JSON.stringify({ status: 500, detail: 'The bridge failed at this request; its outcome is unknown.' }),
      );
    },
  );
}
