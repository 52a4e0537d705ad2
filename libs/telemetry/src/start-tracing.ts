import { useRecorder } from './record.js';
import type { TracedService, TracingConfig } from './tracing-config.js';

/** Tracing of the process, until it is stopped. */
export interface Tracing {
  /** Sends what is recorded, for some seconds at most; never rejects. Nothing is recorded any more. */
  stop(): Promise<void>;
}

/**
 * Turns tracing on for the process. The SDK is loaded here and nowhere else, so that a process without tracing neither reads
 * it nor keeps it in memory.
 */
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
