export { absentUntilSet, counter, gauge, histogram } from './metrics.js';
export {
  arrive,
  isTracing,
  recordedOnly,
  type Span,
  type SpanDescription,
  sampleAnew,
  startSpan,
  type TracingConfig,
  useRecorder,
  within,
} from './record.js';
export { startTracing, type Tracing } from './start-tracing.js';
