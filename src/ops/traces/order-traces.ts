// The way of each new order as an OpenTelemetry trace: a span for the whole, one for each stage. Off unless the standard
// variables of OpenTelemetry name a collector. Its packages are optional, and read only then.

import type { Span } from '@opentelemetry/api';
import type { EngineLog } from '../../engine/mod.ts';
import { type OrderTimes, traceIdOf } from '../../runtime/mod.ts';
import { ORDER_STAGES } from '../metrics/declarations.ts';
import { stagesOf } from '../metrics/order-stages.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface OrderTraces {
  /** Export the way of an order. */
  reported(times: OrderTimes): void;
  /** Send what waits. */
  close(): Promise<void>;
}

export interface TracesOptions {
  /** That of this process: the packages read it too. */
  readonly environment: Variables;
  readonly version: string;
  readonly log: EngineLog;
}

/** Longest wait for the collector at the end of the process. */
const CLOSE_MS = 2_000;
const SERVICE = 'crossgate';
const HTTP = ['http/protobuf', 'http/json'];

/** Whether the variables of OpenTelemetry ask for traces over HTTP. */
export function asksForTraces(environment: Variables): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = environment;
  const endpoint = OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? OTEL_EXPORTER_OTLP_ENDPOINT ?? '';
  const isOff = environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none';
  return endpoint !== '' && !isOff;
}

/** Begin to export; null where nothing asks for it, or it cannot be done. A missing collector is no reason not to trade. */
export async function startTraces({ environment, version, log }: TracesOptions): Promise<OrderTraces | null> {
  if (!asksForTraces(environment)) return null;
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol !== undefined && !HTTP.includes(protocol)) {
    log('warn', `no traces are exported: OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} is not one of ${HTTP.join(', ')}`);
    return null;
  }
  try {
    const traces = await exporting(version);
    log('info', 'the way of each order is exported as an OpenTelemetry trace');
    return traces;
  } catch (error) {
    log('warn', 'no traces are exported: install the optional packages of @opentelemetry (`npm ci` does)', { error });
    return null;
  }
}

async function exporting(version: string): Promise<OrderTraces> {
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const spanIds = new sdk.RandomIdGenerator();
  let traceId = '';
  const provider = new sdk.BasicTracerProvider({
    // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME win.
    resource: resources
      .resourceFromAttributes({ 'service.name': SERVICE, 'service.version': version })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => spanIds.generateSpanId() },
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer(SERVICE, version);
  return {
    reported(times) {
      traceId = traceIdOf(times.sessionId, times.clOrdID);
      const attributes = {
        'fix.session': times.sessionId,
        'fix.cl_ord_id': times.clOrdID,
        'fix.symbol': times.symbol,
        'crossgate.answered_by': times.sentAt === 0 ? 'gateway' : 'exchange',
      };
      const kind = api.SpanKind.SERVER;
      const whole = tracer.startSpan('order', { kind, root: true, startTime: atOf(times.readAt), attributes });
      const within = api.trace.setSpan(api.ROOT_CONTEXT, whole);
      const spent = stagesOf(times);
      let at = times.readAt;
      for (const stage of spent === null ? [] : ORDER_STAGES) {
        const isOut = stage === 'exchange';
        const span: Span = tracer.startSpan(
          stage,
          { startTime: atOf(at), kind: isOut ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL },
          within,
        );
        at += spent![stage];
        span.end(atOf(at));
      }
      whole.end(atOf(times.reportedAt));
    },
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

/** Epoch milliseconds, with decimals, of a time by `performance.now()`. */
function atOf(elapsedMs: number): number {
  return performance.timeOrigin + elapsedMs;
}
