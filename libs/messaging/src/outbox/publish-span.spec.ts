import { type SpanDescription, useRecorder } from '@crm/telemetry';
import { afterEach, describe, expect, it } from '@jest/globals';
import { destinationOf, endPublishing, startPublishing } from './publish-span.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SAMPLED = `00-${TRACE}-00f067aa0ba902b7-01`;
const FORGED = `00-${'a'.repeat(32)}-00f067aa0ba902b7-01`;

afterEach(() => useRecorder(undefined));

const eventOf = (traceparent: string | undefined, data: unknown = {}) => ({
  id: '0190a000-1234-7abc-8def-0123456789ab',
  subject: 'events.lead.created.17',
  envelope: JSON.stringify({ specversion: '1.0', type: 'lead.created', traceparent, data }),
});

function recordAll() {
  const started: (SpanDescription & { traceId: string | undefined; failure?: unknown })[] = [];
  useRecorder({
    samples: () => true,
    start: (description, parent) => {
      const recorded: (typeof started)[number] = { ...description, traceId: parent?.traceId };
      started.push(recorded);
      return {
        traceparent: SAMPLED,
        set: () => undefined,
        fail: (reason) => {
          recorded.failure = reason;
        },
        end: () => undefined,
      };
    },
  });
  return started;
}

describe('the span of an event on its way to the stream', () => {
  it('belongs to the trace in its envelope and does not have the bucket of the tenant', () => {
    const started = recordAll();
    endPublishing(startPublishing(eventOf(SAMPLED)), new Error('no'));
    expect(started).toMatchObject([{ name: 'send events.lead.created', kind: 'producer', traceId: TRACE }]);
    expect(started[0]?.failure).toBeInstanceOf(Error);
    expect(JSON.stringify(started[0]?.attributes)).not.toContain('17');
    expect(destinationOf('events.lead.created.17')).toBe('events.lead.created');
  });

  it('is not made for an event whose trace is not recorded, whatever its data says', () => {
    const started = recordAll();
    const forged = { note: `"traceparent":"${FORGED}"`, nested: '{"traceparent": "x"}' };
    expect(startPublishing(eventOf(SAMPLED.replace(/01$/, '00'), { traceparent: FORGED, ...forged }))).toBeUndefined();
    expect(startPublishing(eventOf(undefined, forged))).toBeUndefined();
    startPublishing(eventOf(SAMPLED, { traceparent: FORGED }));
    expect(started.map(({ traceId }) => traceId)).toEqual([TRACE]);
  });
});
