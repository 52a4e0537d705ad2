import type { TraceParent } from '@crm/access';

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/** What a span is when it begins. Names and attributes follow the semantic conventions; see docs/tracing.md for what stays out. */
export interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
}

/** Work that is being recorded. */
export interface Span {
  /** What the work passes on, so that what it calls is recorded below it. */
  readonly traceparent: string;
  set(name: string, value: string | number | boolean): void;
  /**
   * Notes why the work failed: by the code of a catalogued error, the code or the name of another one, or a text that is such
   * a name. Never the message: it may contain a tenant's data. A refusal of the request (a PlatformError below 500) is noted
   * and does not make the span one of the failed.
   */
  fail(reason: unknown): void;
  /** Nothing can be noted after that. */
  end(): void;
}

/** Where spans go. */
export interface Recorder {
  /** Whether a trace that begins in this process is recorded. */
  samples(): boolean;
  /** @param parent undefined for the first span of a trace */
  start(description: SpanDescription, parent: TraceParent | undefined): Span;
}
