import type { TracingConfig } from '@crm/telemetry';
import type { EnvironmentReader } from './environment.js';

/** OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_SAMPLE_RATIO; undefined, which is off, without an endpoint. */
export function tracingConfig(env: EnvironmentReader): TracingConfig | undefined {
  // Read in any case, so that a mistake is found before tracing is turned on.
  const sampleRatio = env.fraction('OTEL_TRACES_SAMPLE_RATIO', { default: 0.01 });
  const endpoint = env.url('OTEL_EXPORTER_OTLP_ENDPOINT', { default: '', schemes: ['http', 'https'] });
  return endpoint === '' ? undefined : { endpoint, sampleRatio };
}
