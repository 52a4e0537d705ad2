import { describe, expect, it } from '@jest/globals';
import { TlsSessions } from './connector.js';

const origin = { origin: 'https://a.example.com', hostname: 'a.example.com', port: 443, exempt: false };
const NAME = 'a.example.com';

function sessionUntil(usableUntil: number) {
  return { session: Buffer.from('ticket'), name: NAME, usableUntil };
}

describe('TlsSessions', () => {
  it('gives a session only for its origin, address, trust and name', () => {
    const sessions = new TlsSessions();
    const kept = sessionUntil(performance.now() + 600_000);
    sessions.keep(origin, '8.8.8.8', kept);
    expect(sessions.find(origin, '8.8.8.8', NAME)).toBe(kept);
    expect(sessions.find(origin, '1.1.1.1', NAME)).toBeUndefined();
    expect(sessions.find({ ...origin, exempt: true }, '8.8.8.8', NAME)).toBeUndefined();
    expect(sessions.find({ ...origin, origin: 'https://a.example.com:8443' }, '8.8.8.8', NAME)).toBeUndefined();
    expect(sessions.find(origin, '8.8.8.8', 'b.example.com')).toBeUndefined();
    sessions.forget(origin, '8.8.8.8');
    expect(sessions.find(origin, '8.8.8.8', NAME)).toBeUndefined();
  });

  it.each([Number.NaN, 0])('gives none whose certificate must be seen again (%p)', (usableUntil) => {
    const sessions = new TlsSessions();
    sessions.keep(origin, '8.8.8.8', sessionUntil(usableUntil));
    expect(sessions.find(origin, '8.8.8.8', NAME)).toBeUndefined();
  });
});
