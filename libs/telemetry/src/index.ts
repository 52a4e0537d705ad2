export { absentUntilSet, counter, gauge, histogram } from './metrics.js';
export {
  type Arrival,
  arrive,
  isTracing,
  type Recorder,
  recordedOnly,
  type Span,
  type SpanDescription,
  type SpanKind,
  sampleAnew,
  startSpan,
  type TracedService,
  type TracingConfig,
  useRecorder,
  within,
} from './record.js';
export { startTracing, type Tracing } from './start-tracing.js';
