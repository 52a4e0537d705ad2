type Observe = (method: string, status: number, seconds: number) => void;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Requests by the first bucket that has room for them; the last is for those that no bucket has room for. */
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

  /** What the registry writes: buckets are cumulative. */
  async get() {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: this.all.flatMap((series) => this.samplesOf(series)) };
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
