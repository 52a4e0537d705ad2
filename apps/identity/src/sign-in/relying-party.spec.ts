import { describe, expect, it } from '@jest/globals';
import { problemsOf, relyingParty } from './ceremony.js';

const at = (address: string) => relyingParty({ origins: [], id: undefined, address });

describe('where passkeys are used', () => {
  it('follows from the public address', () => {
    const party = { id: 'crm.example.com', origins: ['https://crm.example.com'] };
    expect(at('https://crm.example.com/path')).toEqual(party);
  });

  it.each(['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost:8080'])('is localhost for %s', (address) => {
    expect(at(address)).toEqual({ id: 'localhost', origins: ['http://localhost:8080'] });
  });

  it.each(['https://192.0.2.1', 'https://[2001:db8::1]', 'http://crm.example.com'])(
    'is nowhere for %s, because browsers want a domain and TLS',
    (address) => {
      expect(at(address)).toBeNull();
    },
  );

  it('is nowhere without an address', () => {
    expect(relyingParty({ origins: [], id: undefined, address: undefined })).toBeNull();
  });

  it('can be a domain above several origins', () => {
    const origins = ['https://app.example.com', 'https://example.com'];
    const party = { id: 'example.com', origins };
    expect(relyingParty({ origins, id: 'example.com', address: 'https://other.test' })).toEqual(party);
    expect(problemsOf(party)).toEqual([]);
  });
});

describe('settings that a browser would not accept', () => {
  it.each([
    ['http://crm.example.com', 'crm.example.com', 'must begin with https://'],
    ['https://crm.example.com/', 'crm.example.com', 'is not an origin'],
    ['crm.example.com', 'crm.example.com', 'is not an origin'],
    ['https://crm.example.com', 'example.org', 'is not within the domain'],
    ['https://notexample.com', 'example.com', 'is not within the domain'],
    ['https://192.0.2.1', '192.0.2.1', 'is not within the domain'],
  ])('%s with the domain %s: %s', (origin, id, problem) => {
    expect(problemsOf({ id, origins: [origin] })).toEqual([expect.stringContaining(problem)]);
  });
});
