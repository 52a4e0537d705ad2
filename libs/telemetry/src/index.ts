export { absentUntilSet, counter, gauge, histogram } from './declare.js';
export { type Arrival, arrive, isTracing, recordedOnly, sampleAnew, startSpan, useRecorder, within } from './record.js';
export type { Recorder, Span, SpanDescription, SpanKind } from './span.js';
export { startTracing, type Tracing } from './start-tracing.js';
export type { TracedService, TracingConfig } from './tracing-config.js';
