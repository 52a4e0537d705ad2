import { continueTrace } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { openTelemetryRecorder } from './open-telemetry.js';
import {
  enterTrace,
  failureOf,
  isTracing,
  resample,
  runInSpan,
  type SpanDescription,
  startSpan,
  traceparentIfRecorded,
  useRecorder,
} from './record.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const UNSAMPLED = `00-${TRACE}-${PARENT}-00`;
const SERVICE = { name: 'gateway', version: '1.2.3', instanceId: 'one' };

const describeWork = (name: string): SpanDescription => ({ name, kind: 'server', attributes: { 'http.route': '/a' } });
const neverDescribed = (): SpanDescription => {
  throw new Error('What is not recorded is not described');
};

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  useRecorder(undefined);
  await stop?.();
  stop = undefined;
});

/** Turns tracing on. @returns ends it and gives what was exported */
function record(sampleRatio: number): () => Promise<ReadableSpan[]> {
  const kept: ReadableSpan[] = [];
  const recorder = openTelemetryRecorder({ sampleRatio }, SERVICE, {
    export: (spans, done) => {
      kept.push(...spans);
      done({ code: 0 });
    },
    shutdown: async () => undefined,
  });
  useRecorder(recorder);
  stop = () => recorder.stop();
  return async () => {
    await recorder.stop();
    return kept;
  };
}

const idsOf = (traceparent: string) => traceparent.split('-').slice(1, 3);

describe('without tracing', () => {
  it('a trace is carried on as before, whether it is sampled or not, and nothing is recorded', () => {
    expect(isTracing()).toBe(false);
    for (const received of [SAMPLED, UNSAMPLED]) {
      const { traceparent, span } = enterTrace(received, neverDescribed, null);
      expect(span).toBeUndefined();
      expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-${received.slice(-2)}$`));
      expect(resample(received)).toBe(received);
      expect(traceparentIfRecorded(received)).toBeUndefined();
      expect(startSpan(received, neverDescribed, null)).toBeUndefined();
    }
    expect(enterTrace(undefined, neverDescribed, null).traceparent).toMatch(/-01$/);
  });
});

describe('with tracing', () => {
  it('work of a recorded trace is recorded below its sender, and what it does below the work', async () => {
    const exported = record(0);
    const { traceparent, span } = enterTrace(SAMPLED, describeWork, 'arrived');
    const part = startSpan(traceparent, describeWork, 'part');
    part?.set('error.type', 'NOT_FOUND');
    part?.end();
    span?.end();
    const [inner, outer] = await exported();
    expect(outer).toMatchObject({ name: 'arrived', attributes: { 'http.route': '/a' } });
    expect(outer?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: PARENT });
    expect(idsOf(traceparent)).toEqual([TRACE, outer?.spanContext().spanId]);
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(inner?.attributes['error.type']).toBe('NOT_FOUND');
    expect(outer?.resource.attributes).toMatchObject({ 'service.name': 'gateway', 'service.version': '1.2.3' });
  });

  it('nothing of a trace that its sender does not record is recorded or described', async () => {
    const exported = record(1);
    const { traceparent, span } = enterTrace(UNSAMPLED, neverDescribed, null);
    for (const recorded of [span, startSpan(traceparent, neverDescribed, null), traceparentIfRecorded(traceparent)]) {
      expect(recorded).toBeUndefined();
    }
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00$`));
    expect(await exported()).toEqual([]);
  });

  it('of the traces that begin here the sample ratio is recorded, and the others are marked as not', async () => {
    const exported = record(0.25);
    const arrivals = Array.from({ length: 4_000 }, () => enterTrace('nonsense', describeWork, 'new'));
    for (const { span } of arrivals) span?.end();
    const recorded = arrivals.filter(({ span }) => span);
    // Six standard deviations of a fair draw on either side.
    expect(recorded.length).toBeGreaterThan(835);
    expect(recorded.length).toBeLessThan(1_165);
    for (const { traceparent, span } of arrivals) expect(traceparent.slice(-2)).toBe(span ? '01' : '00');
    expect(new Set(arrivals.map(({ traceparent }) => idsOf(traceparent)[0])).size).toBe(4_000);
    expect((await exported()).length).toBe(recorded.length);
  });

  it('a trace that begins outside a span is recorded nowhere', () => {
    record(1);
    expect(continueTrace(undefined)).toMatch(/-00$/);
    useRecorder(undefined);
    expect(continueTrace(undefined)).toMatch(/-01$/);
  });

  it('an edge keeps the trace of a stranger, who does not decide whether it is recorded', () => {
    record(0);
    expect(resample(SAMPLED)).toBe(UNSAMPLED);
    record(1);
    expect(resample(UNSAMPLED)).toBe(SAMPLED);
    expect(resample('nonsense')).toBeUndefined();
  });

  it('a defect makes a span one of the failed, by its name and never by its message; a refusal is only noted', async () => {
    const exported = record(0);
    const defect = Object.assign(new TypeError('ada@example.com is not a function'), { detail: 'ada@example.com' });
    const refusal = new PlatformError('NOT_FOUND', 'No lead Lovelace');
    for (const error of [defect, refusal]) {
      const span = startSpan(SAMPLED, describeWork, error.name);
      await expect(runInSpan(span, () => Promise.reject(error))).rejects.toBe(error);
    }
    expect(await runInSpan(startSpan(SAMPLED, describeWork, 'fine'), async () => 7)).toBe(7);
    const [failed, refused, fine] = await exported();
    expect([failed, refused, fine].map((span) => [span?.status.code, span?.attributes['error.type']])).toEqual([
      [SpanStatusCode.ERROR, 'TypeError'],
      [SpanStatusCode.UNSET, 'NOT_FOUND'],
      [SpanStatusCode.UNSET, undefined],
    ]);
    const texts = JSON.stringify([failed, refused].map((span) => [span?.attributes, span?.events, span?.status]));
    expect(texts).not.toMatch(/ada|Lovelace/);
  });
});

describe('the reason of a failure', () => {
  it.each<[string, unknown, string, boolean]>([
    ['the code of a refusal', new PlatformError('VALIDATION_FAILED', 'Ada'), 'VALIDATION_FAILED', true],
    ['the code of a catalogued failure', new PlatformError('SERVICE_UNAVAILABLE'), 'SERVICE_UNAVAILABLE', false],
    ['the code of the database', Object.assign(new Error('Key (email)=(a)'), { code: '23505' }), '23505', false],
    ['the name of another error', new RangeError('Ada'), 'RangeError', false],
    ['a name itself', 'http_5xx', 'http_5xx', false],
    ['never a sentence', 'Ada Lovelace is no lead', 'Error', false],
    ['never a sentence that is a code', Object.assign(new Error('x'), { code: 'Ada Lovelace' }), 'Error', false],
    ['the type of what is no error', { ada: 1 }, 'object', false],
  ])('is %s', (_what, reason, type, isRefusal) => {
    expect(failureOf(reason)).toEqual({ type, isRefusal });
  });
});
