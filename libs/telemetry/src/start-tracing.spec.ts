import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { exportLog, openTelemetryRecorder } from './open-telemetry.js';
import { enterTrace, isTracing, useRecorder } from './record.js';
import { startTracing } from './start-tracing.js';

const SERVICE = { name: 'identity', version: '1.2.3', instanceId: 'one' };

afterEach(() => useRecorder(undefined));

describe('tracing', () => {
  it('sends what it has recorded to the endpoint, as JSON, at the latest when it stops', async () => {
    const receiver = createServer();
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const received = once(receiver, 'request').then(async ([request, response]) => {
      const body = await json(request);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return { method: request.method, url: request.url, body };
    });
    const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const tracing = await startTracing({ endpoint, sampleRatio: 1 }, SERVICE);
    enterTrace(undefined, () => ({ name: 'work', kind: 'internal' }), null).span?.end();
    await tracing.stop();
    expect(isTracing()).toBe(false);
    expect(await received).toMatchObject({
      method: 'POST',
      url: '/v1/traces',
      body: { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'work' }] }] }] },
    });
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });

  it('waits some seconds at most for a receiver that does not answer', async () => {
    jest.useFakeTimers();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    try {
      const never = new Promise<void>(() => undefined);
      const exporter = { export: () => undefined, shutdown: () => never };
      const recorder = openTelemetryRecorder({ sampleRatio: 1 }, SERVICE, exporter);
      recorder.start({ name: 'work', kind: 'internal' }, undefined).end();
      const stopped = jest.fn();
      const stopping = recorder.stop().then(stopped);
      await jest.advanceTimersByTimeAsync(2_999);
      expect(stopped).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1);
      await stopping;
      expect(warn.mock.calls).toMatchObject([[{ reason: expect.stringMatching(/no answer within 3000 ms/) }]]);
    } finally {
      warn.mockRestore();
      jest.useRealTimers();
    }
  });
});

describe('what the SDK reports', () => {
  it('is one line a minute, with how many were left out, and the message of an error without its stack', () => {
    let now = 0;
    const warn = jest.fn();
    const log = exportLog({ warn }, () => now);
    log.error('{"stack":"Error: no\\n at x","message":"connect ECONNREFUSED","code":"ECONNREFUSED"}');
    log.warn('Dropped 7 spans because maxQueueSize reached');
    log.info('nothing');
    now = 60_000;
    log.warn('Dropped 9 spans because maxQueueSize reached');
    const msg = 'Spans were lost; recording goes on';
    expect(warn.mock.calls).toEqual([
      [{ msg, reason: 'connect ECONNREFUSED' }],
      [{ msg, reason: 'Dropped 9 spans because maxQueueSize reached', suppressed: 1 }],
    ]);
  });
});
