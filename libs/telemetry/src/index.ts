export { absentUntilSet, counter, gauge, histogram } from './metrics.js';
export {
  enterTrace,
  isTracing,
  resample,
  runInSpan,
  type Span,
  type SpanDescription,
  startSpan,
  type TracingConfig,
  traceparentIfRecorded,
  useRecorder,
} from './record.js';
export { startTracing, type Tracing } from './start-tracing.js';
