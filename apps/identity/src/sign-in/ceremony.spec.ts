import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SoftwareAuthenticator } from '../../test/software-authenticator.js';
import {
  challengeIn,
  parseAssertion,
  parseRegistration,
  problemsOf,
  relyingParty,
  verifyRegistration,
} from './ceremony.js';

const PARTY = { id: 'crm.example.com', origins: ['https://crm.example.com'] };
const CHALLENGE = Buffer.alloc(32, 7).toString('base64url');
const OPTIONS = { rp: { id: PARTY.id }, user: { id: 'AAAA' }, challenge: CHALLENGE };

let warn: jest.SpiedFunction<typeof Logger.prototype.warn>;
beforeEach(() => {
  warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});
afterEach(() => warn.mockRestore());

const reasons = () => warn.mock.calls.map(([entry]) => (entry as unknown as { reason: string }).reason);
const newAuthenticator = () => new SoftwareAuthenticator('https://crm.example.com');

describe('a registration', () => {
  it('gives what is stored', async () => {
    const authenticator = newAuthenticator();
    const response = parseRegistration(authenticator.create(OPTIONS));
    expect(challengeIn(response.response)).toBe(CHALLENGE);
    expect(await verifyRegistration(response, CHALLENGE, PARTY)).toEqual({
      credentialId: authenticator.credentialId,
      publicKey: expect.any(Buffer),
      counter: 1,
      backedUp: false,
      transports: ['internal', 'hybrid'],
    });
  });

  // The library would verify these, and fetch lists of revoked certificates from addresses in them.
  it.each([
    ['packed', { alg: -7, sig: Buffer.alloc(70), x5c: [Buffer.alloc(10)] }],
    ['fido-u2f', { sig: Buffer.alloc(70), x5c: [Buffer.alloc(10)] }],
    ['android-key', {}],
    ['android-safetynet', {}],
    ['tpm', {}],
    ['apple', {}],
  ])('with the attestation %s and a certificate is refused before the library sees it', async (fmt, attStmt) => {
    const response = parseRegistration(newAuthenticator().create(OPTIONS, { attestation: { fmt, attStmt } }));
    await expect(verifyRegistration(response, CHALLENGE, PARTY)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(reasons()).toEqual([`Attestation "${fmt}" was not asked for`]);
  });

  it('keeps only names of transports, a few of them', () => {
    const credential = newAuthenticator().create(OPTIONS);
    const response = credential.response as Record<string, unknown>;
    const transports = ['usb', 'usb', 7, 'Not A Name', ...Array.from('abcdefghij')];
    const parsed = parseRegistration({ ...credential, response: { ...response, transports } });
    expect(parsed.response.transports).toEqual(['usb', ...Array.from('abcdefg')]);
  });

  it('says in the log what was wrong, and to the client nothing of it', async () => {
    const lie = newAuthenticator().create(OPTIONS, { origin: 'https://evil.example' });
    const refused = verifyRegistration(parseRegistration(lie), CHALLENGE, PARTY);
    await expect(refused).rejects.toMatchObject({ message: "The passkey wasn't accepted" });
    expect(reasons()).toEqual([expect.stringContaining('https://evil.example')]);
  });
});

describe('an assertion', () => {
  const assertion = () => newAuthenticator().get({ rpId: PARTY.id, challenge: CHALLENGE }, { userHandle: 'AAAA' });

  it('keeps what is known of it, and nothing else', () => {
    const parsed = parseAssertion({ ...assertion(), clientExtensionResults: { appid: true }, extra: 'x' });
    expect(Object.keys(parsed).sort()).toEqual(['clientExtensionResults', 'id', 'rawId', 'response', 'type']);
    expect(parsed.clientExtensionResults).toEqual({});
  });

  it('may leave out whose it is', () => {
    const credential = assertion();
    const response = { ...(credential.response as object), userHandle: null };
    expect(parseAssertion({ ...credential, response }).response).not.toHaveProperty('userHandle');
  });
});

const at = (address?: string) => relyingParty({ origins: [], id: undefined, address });

describe('where passkeys are used', () => {
  it('follows from the public address', () => {
    const party = { id: 'crm.example.com', origins: ['https://crm.example.com'] };
    expect(at('https://crm.example.com/path')).toEqual(party);
  });

  it.each(['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost:8080'])('is localhost for %s', (address) => {
    expect(at(address)).toEqual({ id: 'localhost', origins: ['http://localhost:8080'] });
  });

  it.each(['https://192.0.2.1', 'https://[2001:db8::1]', 'http://crm.example.com', undefined])(
    'is nowhere for %s, because browsers want a domain and TLS',
    (address) => {
      expect(at(address)).toBeNull();
    },
  );

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
