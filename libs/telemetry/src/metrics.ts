import { Counter, Gauge, Histogram, register } from 'prom-client';

// The registry accepts a name only once; a second application in the same process (tests) shares the metric.

/** @param labelNames each with few values, all known when the code is written */
export const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []): Counter<L> =>
  (register.getSingleMetric(name) as Counter<L> | undefined) ?? new Counter({ name, help, labelNames });

/** @param collect sets the value when it is asked for; must not wait for anything */
export const gauge = <L extends string = never>(
  name: string,
  help: string,
  labelNames: L[] = [],
  collect?: (gauge: Gauge<L>) => void,
): Gauge<L> =>
  (register.getSingleMetric(name) as Gauge<L> | undefined) ??
  new Gauge({
    name,
    help,
    labelNames,
    ...(collect && {
      collect() {
        collect(this);
      },
    }),
  });

/** @param buckets upper bounds, ascending; default: those of prom-client, from 5 ms to 10 s */
export const histogram = <L extends string = never>(
  name: string,
  help: string,
  labelNames: L[] = [],
  buckets?: number[],
): Histogram<L> =>
  (register.getSingleMetric(name) as Histogram<L> | undefined) ??
  new Histogram({ name, help, labelNames, ...(buckets && { buckets }) });

/** A gauge without labels is 0 from the start; this one has no value in processes that do not set one. */
export function absentUntilSet(declared: Gauge): Gauge {
  declared.reset = () => declared.remove();
  declared.reset();
  return declared;
}
