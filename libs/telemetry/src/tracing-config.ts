/** How a process records traces; read from the environment in the service's `config.ts`. */
export interface TracingConfig {
  /** Address of an OTLP receiver over HTTP, such as `http://otel-collector:4318`. */
  readonly endpoint: string;
  /** Share of the traces that begin here that are recorded, from 0 to 1. */
  readonly sampleRatio: number;
}

/** Who records: attributes of every span. */
export interface TracedService {
  readonly name: string;
  readonly version: string;
  /** Of this process among those of the service. */
  readonly instanceId: string;
}
