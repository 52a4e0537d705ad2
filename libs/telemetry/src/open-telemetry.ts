import type { TraceParent } from '@crm/access';
import { Logger } from '@nestjs/common';
import {
  type DiagLogger,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  failureOf,
  type Recorder,
  type Span,
  type SpanDescription,
  type TracedService,
  type TracingConfig,
} from './record.js';

/** A receiver that is away fails every export: one line in this time says so. */
const QUIET_MS = 60_000;
/** Characters of what the SDK reports; it prints errors with stacks and answers. */
const MAX_LENGTH = 300;

/** What the SDK reports, in the log of the service: lost spans and failed exports, not everything each time. */
export function exportLog(logger: Pick<Logger, 'warn'> = new Logger('Tracing'), now = Date.now): DiagLogger {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  const report = (message: string, ...rest: unknown[]): void => {
    if (now() < quietUntil) {
      suppressed += 1;
      return;
    }
    quietUntil = now() + QUIET_MS;
    const reason = [messageIn(message), ...rest.map(textOf)].join(': ').slice(0, MAX_LENGTH);
    logger.warn({ msg: 'Spans were lost; recording goes on', reason, ...(suppressed > 0 && { suppressed }) });
    suppressed = 0;
  };
  return { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing };
}

/** The SDK reports an error as JSON of its members, with the stack first. */
const messageIn = (report: string): string => /"message":"((?:[^"\\]|\\.)*)"/.exec(report)?.[1] ?? report;

const nothing = (): void => undefined;

const textOf = (value: unknown): string => (value instanceof Error ? value.message : String(value));

/** One export; the spans of one that takes longer are lost. */
const EXPORT_TIMEOUT_MS = 5_000;
/** What a process that ends spends on its last spans. */
const STOP_TIMEOUT_MS = 3_000;
/** Spans that wait for their export; more are lost. */
const MAX_WAITING = 4_096;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** Sends spans as JSON. Everything is given, so that the exporter asks the environment for nothing of it. */
export function otlpExporter({ endpoint }: Pick<TracingConfig, 'endpoint'>): SpanExporter {
  return new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    httpAgentOptions: { keepAlive: true },
  });
}

/** What is not sampled never comes here (`record.ts`), so the SDK samples everything; nothing is ambient or patched. */
export function openTelemetryRecorder(
  { sampleRatio }: Pick<TracingConfig, 'sampleRatio'>,
  service: TracedService,
  exporter: SpanExporter,
): Recorder & { stop(): Promise<void> } {
  const log = exportLog();
  diag.setLogger(log, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'crm',
      'service.name': service.name,
      'service.version': service.version,
      'service.instance.id': service.instanceId,
    }),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS }),
    ],
  });
  const tracer = provider.getTracer('@crm/telemetry', service.version);
  return {
    samples: () => Math.random() < sampleRatio,
    start: (description, parent) => new RecordedSpan(startOf(tracer, description, parent)),
    stop: async () => {
      try {
        await inTime(provider.shutdown());
      } catch (error) {
        log.warn('The last spans of the process may be lost', error);
      } finally {
        diag.disable();
      }
    },
  };
}

function startOf(
  tracer: Tracer,
  { name, kind, attributes }: SpanDescription,
  parent: TraceParent | undefined,
): OtelSpan {
  const context = parent
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: parent.traceId,
        spanId: parent.spanId,
        traceFlags: TraceFlags.SAMPLED,
        isRemote: true,
      })
    : ROOT_CONTEXT;
  return tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, context);
}

class RecordedSpan implements Span {
  readonly traceparent: string;

  constructor(private readonly span: OtelSpan) {
    const { traceId, spanId } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-01`;
  }

  set(name: string, value: string | number | boolean): void {
    this.span.setAttribute(name, value);
  }

  fail(reason: unknown): void {
    const { type, isRefusal } = failureOf(reason);
    this.span.setAttribute('error.type', type);
    if (!isRefusal) this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

/** @throws Error when it takes longer than a process that ends can wait */
async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${STOP_TIMEOUT_MS} ms`)), STOP_TIMEOUT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
