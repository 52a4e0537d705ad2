import { describe, expect, it } from '@jest/globals';
import { EgressError } from './errors.js';
import { lookupChecked, SharedLookups } from './resolver.js';

const origin = (hostname: string) => ({ origin: `https://${hostname}`, hostname, port: 443, exempt: false });
const [A, B] = [origin('a.example.com'), origin('b.example.com')];
const never = new AbortController().signal;

/** Lookups that end when the test says so. */
function scripted(reuseMs: number) {
  const started: { hostname: string; signal: AbortSignal; answer(...addresses: string[]): void; fail(): void }[] = [];
  const lookups = new SharedLookups(
    ({ hostname }, signal) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new EgressError('dns', 'No'));
        started.push({ hostname, signal, answer: (...addresses) => resolve(addresses), fail });
      }),
    reuseMs,
  );
  return { lookups, started };
}

describe('SharedLookups', () => {
  it('makes one lookup for all that wait for the same origin', async () => {
    const { lookups, started } = scripted(0);
    const waiting = [A, A, B].map((one) => lookups.addressesOf(one, never));
    expect(started.map(({ hostname }) => hostname)).toEqual(['a.example.com', 'b.example.com']);
    started[0]!.answer('8.8.8.8');
    started[1]!.answer('1.1.1.1');
    expect(await Promise.all(waiting)).toEqual([['8.8.8.8'], ['8.8.8.8'], ['1.1.1.1']]);
  });

  it('reuses an answer for the given time only, and not after it is forgotten', async () => {
    const { lookups, started } = scripted(600_000);
    const first = lookups.addressesOf(A, never);
    started[0]!.answer('8.8.8.8');
    await first;
    expect(await lookups.addressesOf(A, never)).toEqual(['8.8.8.8']);
    lookups.forget(A);
    const second = lookups.addressesOf(A, never);
    started[1]!.answer('1.1.1.1');
    expect(await second).toEqual(['1.1.1.1']);

    const without = scripted(0);
    for (const expected of [1, 2]) {
      const call = without.lookups.addressesOf(A, never);
      expect(without.started).toHaveLength(expected);
      without.started.at(-1)!.answer('8.8.8.8');
      await call;
    }
  });

  it('gives each call its own error and asks again afterwards', async () => {
    const { lookups, started } = scripted(600_000);
    const waiting = [A, A].map((one) => lookups.addressesOf(one, never).catch((error: unknown) => error));
    started[0]!.fail();
    const [first, second] = await Promise.all(waiting);
    expect(first).toMatchObject({ name: 'EgressError', code: 'dns', message: 'No' });
    expect(second).toEqual(first);
    expect(second).not.toBe(first);
    void lookups.addressesOf(A, never);
    expect(started).toHaveLength(2);
  });

  it('is cancelled when the last call that waits is cancelled', async () => {
    const { lookups, started } = scripted(0);
    const calls = [new AbortController(), new AbortController()];
    const waiting = calls.map(({ signal }) => lookups.addressesOf(A, signal).catch((error: unknown) => error));
    calls[0]!.abort();
    expect(await waiting[0]).toMatchObject({ code: 'connect' });
    expect(started[0]!.signal.aborted).toBe(false);
    calls[1]!.abort();
    expect(await waiting[1]).toMatchObject({ code: 'connect' });
    expect(started[0]!.signal.aborted).toBe(true);
    void lookups.addressesOf(A, never);
    expect(started).toHaveLength(2);
  });
});

const answering = (...addresses: string[]) => lookupChecked('example.com', async () => addresses, { exempt: false });
const exempt = (...addresses: string[]) => lookupChecked('example.com', async () => addresses, { exempt: true });

describe('lookupChecked', () => {
  it('returns the addresses in the order of the resolver', async () => {
    expect(await answering('93.184.215.14', '2606:4700::1111')).toEqual(['93.184.215.14', '2606:4700::1111']);
  });

  it('returns an address without a lookup, if it is allowed', async () => {
    const never = () => Promise.reject(new Error('must not be called'));
    expect(await lookupChecked('8.8.8.8', never, { exempt: false })).toEqual(['8.8.8.8']);
    await expect(lookupChecked('10.0.0.1', never, { exempt: false })).rejects.toMatchObject({ code: 'blocked' });
  });

  it('refuses the whole answer because of one refused address, except for an exempt host', async () => {
    await expect(answering('93.184.215.14', '10.0.0.1')).rejects.toMatchObject({ code: 'blocked' });
    expect(await exempt('10.0.0.1')).toEqual(['10.0.0.1']);
    await expect(exempt('not-an-address')).rejects.toMatchObject({ code: 'blocked' });
  });

  it('fails with "dns" and the code of the resolver when a name has no address', async () => {
    await expect(answering()).rejects.toMatchObject({ code: 'dns' });
    const failing = (error: unknown) => lookupChecked('example.com', () => Promise.reject(error), { exempt: false });
    await expect(failing({ code: 'SERVFAIL' })).rejects.toThrow('(SERVFAIL)');
    await expect(failing(new Error('no code'))).rejects.toThrow(/could not be looked up$/);
  });
});
