import { expect } from '@jest/globals';
import { EgressError, type EgressOptions, type EgressRequest, OutsideClient, type Timeouts } from '../src/index.js';
import type { Certificate, Receiver } from './receiver.js';

/** The name that the clients of these tests may call; it resolves to loopback. */
export const NAME = 'receiver.test';

/** Limits that no call of a test runs into by accident, however busy the machine is. */
export const PATIENT: Timeouts = { connectMs: 600_000, headersMs: 600_000, bodyMs: 600_000, totalMs: 600_000 };

const closers: (() => Promise<void>)[] = [];

/** Closes the receivers and clients of a test. */
export async function closeAll(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()));
}

/** Closes something at the end of the test. */
export function closeLater<T extends { close(): Promise<void> }>(one: T): T {
  closers.push(() => one.close());
  return one;
}

/** A client that may call {@link NAME} on the ports of these receivers and trusts this certificate there. */
export function clientOf(
  receivers: readonly Receiver[],
  certificate: Certificate,
  options: EgressOptions = {},
): OutsideClient {
  return closeLater(
    new OutsideClient({
      allow: receivers.flatMap(({ port }) => [NAME, '127.0.0.1'].map((host) => ({ host, port }))),
      ca: certificate.cert,
      resolver: async () => ['127.0.0.1'],
      ...options,
      timeouts: { ...PATIENT, ...options.timeouts },
    }),
  );
}

export function get(client: OutsideClient, receiver: Receiver, request: Partial<EgressRequest> = {}) {
  return client.request({ method: 'GET', url: `https://${NAME}:${receiver.port}/hook?x=1`, ...request });
}

/** Awaits a call that must fail and returns its error. */
export async function failure(call: Promise<unknown>): Promise<EgressError> {
  const error = await call.then(() => undefined).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(EgressError);
  return error as EgressError;
}
