import { randomUUID } from 'node:crypto';
import { PLATFORM_VERSION } from '@crm/contracts';
import { startTracing, type Tracing } from '@crm/telemetry';
import type { FastifyInstance, onResponseHookHandler } from 'fastify';
import { collectDefaultMetrics, type Metric, register } from 'prom-client';
import type { ServiceConfig } from '../configuration/service-config.js';
import { RequestDurations } from './request-durations.js';

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
