import { type TracedService, type TracingConfig, useRecorder } from './record.js';

export interface Tracing {
  /** Sends what is recorded, for some seconds at most; never rejects. Nothing is recorded any more. */
  stop(): Promise<void>;
}

/** The SDK is loaded here and nowhere else, so that a process without tracing does not keep it in memory. */
export async function startTracing(config: TracingConfig, service: TracedService): Promise<Tracing> {
  const { openTelemetryRecorder, otlpExporter } = await import('./open-telemetry.js');
  const recorder = openTelemetryRecorder(config, service, otlpExporter(config));
  useRecorder(recorder);
  return {
    stop: async () => {
      useRecorder(undefined);
      await recorder.stop();
    },
  };
}
