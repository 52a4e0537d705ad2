import { randomUUID } from 'node:crypto';
import { PLATFORM_VERSION } from '@crm/contracts';
import { startTracing, type Tracing } from '@crm/telemetry';
import type { FastifyInstance, onResponseHookHandler } from 'fastify';
import { collectDefaultMetrics, type Metric, register } from 'prom-client';
import type { ServiceConfig } from '../configuration/service-config.js';

const DURATION = 'http_request_duration_seconds';
/** Buckets in seconds: fine around the expected time of an API call, coarse up to the time limits. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The registry of this process; libraries and services register their own metrics in it. */
export const metricsRegistry = register;

/** Starts the metrics of the process, once even if a test starts several services in it. */
export function startProcessMetrics(service: string): void {
  register.setDefaultLabels({ service });
  if (!register.getSingleMetric('process_cpu_user_seconds_total')) collectDefaultMetrics({ register });
  requestDurations();
}

/** Measures every request under its route template: raw paths would create a time series per id and expose secrets. */
export function measureRequests(instance: FastifyInstance): void {
  const durations = requestDurations();
  const observing = (route: string): onResponseHookHandler => {
    const observe = durations.ofRoute(route);
    return (request, reply, done) => {
      observe(request.method, reply.statusCode, reply.elapsedTime / 1000);
      done();
    };
  };
  // A hook per route, because Fastify puts the options of the request's route together anew whenever they are read.
  instance.addHook('onRoute', (route) => {
    route.onResponse = [observing(route.url), ...[route.onResponse ?? []].flat()];
  });
  const unmatched = observing('unmatched');
  instance.addHook('onResponse', function observe(request, reply, done) {
    if (request.is404) unmatched.call(this, request, reply, done);
    else done();
  });
}

/** One for the process, also if a test starts several services in it. */
function requestDurations(): RequestDurations {
  const known = register.getSingleMetric(DURATION) as RequestDurations | undefined;
  if (known) return known;
  const help = 'Duration of HTTP requests, by method, route template and status';
  const durations = new RequestDurations(DURATION, help, BUCKETS);
  // The registry asks a metric for its name and its values; the type of the package names all that its own classes have.
  register.registerMetric(durations as unknown as Metric);
  return durations;
}

/** Turns tracing on if it is configured; before anything is traced. */
export async function startServiceTracing({
  name,
  tracing,
}: Pick<ServiceConfig, 'name' | 'tracing'>): Promise<Tracing | undefined> {
  if (!tracing) return undefined;
  return startTracing(tracing, { name, version: PLATFORM_VERSION, instanceId: randomUUID() });
}

type Observe = (method: string, status: number, seconds: number) => void;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Requests by the first bucket whose bound they do not exceed; the last is for those beyond every bound. */
  readonly counts: number[];
  sum: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/** In the gateway prom-client's histogram took a tenth of the time of a request; here a route knows its series. */
export class RequestDurations {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly labelNames = ['method', 'route', 'status'];
  private readonly all: Series[] = [];
  private readonly routes = new Map<string, Observe>();

  /** @param buckets upper bounds in seconds, ascending */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly buckets: readonly number[],
  ) {}

  ofRoute(route: string): Observe {
    let observe = this.routes.get(route);
    if (!observe) {
      observe = this.observing(route);
      this.routes.set(route, observe);
    }
    return observe;
  }

  /** What the registry writes: buckets are cumulative; a series without an observation since the last reset is absent. */
  async get() {
    const { name, help, type, aggregator } = this;
    const observed = this.all.filter(({ counts }) => counts.some((count) => count > 0));
    return { name, help, type, aggregator, values: observed.flatMap((series) => this.samplesOf(series)) };
  }

  /** Forgets what was observed; routes go on counting. */
  reset(): void {
    for (const series of this.all) {
      series.counts.fill(0);
      series.sum = 0;
    }
  }

  private observing(route: string): Observe {
    const byMethod = new Map<string, Map<number, Series>>();
    return (method, status, seconds) => {
      let byStatus = byMethod.get(method);
      if (!byStatus) {
        byStatus = new Map();
        byMethod.set(method, byStatus);
      }
      let series = byStatus.get(status);
      if (!series) {
        series = this.seriesOf({ method, route, status: String(status) });
        byStatus.set(status, series);
      }
      let index = 0;
      while (index < this.buckets.length && seconds > (this.buckets[index] as number)) index += 1;
      series.counts[index] = (series.counts[index] as number) + 1;
      series.sum += seconds;
    };
  }

  private seriesOf(labels: Series['labels']): Series {
    const series = { labels, counts: new Array<number>(this.buckets.length + 1).fill(0), sum: 0 };
    this.all.push(series);
    return series;
  }

  private samplesOf({ labels, counts, sum }: Series): Sample[] {
    let count = 0;
    const buckets = counts.map((observed, index): Sample => {
      count += observed;
      return {
        metricName: `${this.name}_bucket`,
        labels: { le: this.buckets[index] ?? '+Inf', ...labels },
        value: count,
      };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels: { ...labels }, value: sum },
      { metricName: `${this.name}_count`, labels: { ...labels }, value: count },
    ];
  }
}
