import { describe, expect, it } from '@jest/globals';
import { Destinations } from './destination.js';

describe('Destinations', () => {
  const destinations = new Destinations({ exceptions: [{ host: 'receiver.test', port: 9443 }] });

  it('says where to connect and what to ask for', () => {
    expect(destinations.get('https://EXAMPLE.com./a/../b?c=1#d')).toEqual({
      origin: { origin: 'https://example.com.', hostname: 'example.com', port: 443, exempt: false },
      path: '/b?c=1',
    });
    expect(destinations.get('https://receiver.test:9443')).toEqual({
      origin: { origin: 'https://receiver.test:9443', hostname: 'receiver.test', port: 9443, exempt: true },
      path: '/',
    });
  });

  it('remembers what is allowed and refuses each time what is not', () => {
    const url = 'https://example.com/hook';
    expect(destinations.get(url)).toBe(destinations.get(url));
    for (let call = 0; call < 2; call++) {
      expect(() => destinations.get('https://10.0.0.1/')).toThrow(expect.objectContaining({ code: 'blocked' }));
    }
  });
});
