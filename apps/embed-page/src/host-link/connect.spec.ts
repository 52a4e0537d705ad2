import { describe, expect, it } from '@jest/globals';
import { connectHost } from './connect.js';

const HOST = 'https://host.example';
const SECOND = 'https://second.example';

/** @param ancestors what the browser says about the frames around the page; undefined where it has no such list */
function greetedOrigins(ancestors: readonly string[] | undefined): string[] {
  const greeted: string[] = [];
  const parent = {
    postMessage: ({ type }: { type: string }, origin: string): void => {
      if (type === 'ready') greeted.push(origin);
    },
  };
  const ancestorOrigins = ancestors && { item: (at: number) => ancestors[at] ?? null };
  const page = { parent, location: { ancestorOrigins }, addEventListener: () => undefined };
  connectHost(page as unknown as Window, { allowedOrigins: [HOST, SECOND], apiUrl: 'https://api.example' });
  return greeted;
}

describe('the connection with the host', () => {
  it.each([
    ['names the parent', [SECOND, 'https://outer.example'], [SECOND]],
    ['names a parent that is not allowed', ['https://evil.example'], []],
    // Firefox, for a frame with `no-referrer`.
    ['hides the parent', ['null'], [HOST, SECOND]],
    ['says nothing', undefined, [HOST, SECOND]],
  ])('greets the allowed origins that the parent can be of, where the browser %s', (_, ancestors, greeted) => {
    expect(greetedOrigins(ancestors)).toEqual(greeted);
  });
});
