import { randomBytes } from 'node:crypto';
import { eventually } from '../../scripts/demo/client.mjs';
import type { ReceivedSpan } from './collector.mjs';

/** A trace that begins with the test, which does not ask for its being recorded. */
export interface NewTrace {
  readonly traceId: string;
  readonly spanId: string;
  readonly headers: { readonly traceparent: string };
}

export function newTrace(): NewTrace {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-00` } };
}

/** @param traceId all spans when left out */
export async function spans(traceId?: string): Promise<ReceivedSpan[]> {
  const response = await fetch(`${process.env.E2E_COLLECTOR}/spans${traceId === undefined ? '' : `?trace=${traceId}`}`);
  return (await response.json()) as ReceivedSpan[];
}

/** The trace, once everything named in it has been sent, which takes services some seconds. */
export function traceWith(traceId: string, expected: readonly string[]): Promise<Trace> {
  return eventually(
    async () => {
      const trace = new Trace(await spans(traceId));
      return expected.every((path) => trace.paths.has(path)) && trace;
    },
    `a trace with ${expected.join(' and ')}`,
  ).catch(async (error: unknown) => {
    const { paths } = new Trace(await spans(traceId));
    throw new Error([String(error), 'What there is:', ...paths.keys()].join('\n'));
  });
}

/** Spans of one trace, by what they are below. */
export class Trace {
  /** Such as `gateway POST /a > custom-objects POST /a`: of a span, with those that it is below. */
  readonly paths: ReadonlyMap<string, readonly ReceivedSpan[]>;

  constructor(readonly spans: readonly ReceivedSpan[]) {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const pathOf = (span: ReceivedSpan): string => {
      const parent = span.parentId === undefined ? undefined : byId.get(span.parentId);
      return `${parent ? `${pathOf(parent)} > ` : ''}${span.service} ${span.name}`;
    };
    const paths = new Map<string, ReceivedSpan[]>();
    for (const span of spans) paths.set(pathOf(span), [...(paths.get(pathOf(span)) ?? []), span]);
    this.paths = paths;
  }

  of(path: string): readonly ReceivedSpan[] {
    return this.paths.get(path) ?? [];
  }
}
