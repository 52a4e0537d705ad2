import { describe, expect, it } from '@jest/globals';
import { checkHostname } from './hostname.js';

const REFUSED = [
  ...['localhost', 'a.localhost', 'a.b.localhost', 'printer.local', 'local', 'metadata.google.internal', 'internal'],
  ...['wiki.intranet', 'nas.lan', 'router.home.arpa', 'home.arpa', 'git.corp', 'abc.onion', 'a.test', 'a.invalid'],
  ...['a.example', 'example', 'test', 'intranet', 'metadata', 'instance-data', 'db', 'kubernetes', 'metadata.goog'],
  ...['x.metadata.goog', 'metadata.tencentyun.com', 'kubernetes.default.svc.cluster.local'],
];

const ALLOWED = [
  ...['example.com', 'hooks.acme.example.com', 'localhost.com', 'mylocalhost.io', 'a.localhost.dev', 'test.io'],
  ...['lan.org'],
  ...['internal.acme.net', 'corp.acme.com', 'notlocal.xlocal', 'arpa.org', 'xn--bcher-kva.de', 'a_b.example.com'],
  ...['a-b.example.com', '1.example.com', 'example.c0', `${'a'.repeat(63)}.com`, 'metadata.acme.com'],
];

const MALFORMED = [
  ...['', '.', '..', 'a..com', '.a.com', 'a.com..', '-a.com', 'a-.com', 'a b.com', 'a/b.com', 'a:b.com', 'bücher.de'],
  ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(126)}com`, 'a.1', 'a.0x1', 'a.0x', 'a%2e.com', 'a\u0000.com', '1.2.3'],
  ...['[::1', '*.com'],
];

describe('checkHostname', () => {
  it.each(REFUSED.flatMap((name) => [name, `${name}.`, name.toUpperCase()]))('refuses %s', (name) => {
    expect(checkHostname(name)).toMatchObject({ ok: false, code: 'refused_hostname' });
  });

  it.each(ALLOWED.flatMap((name) => [name, `${name}.`, name.toUpperCase()]))('allows %s', (name) => {
    expect(checkHostname(name)).toEqual({ ok: true });
  });

  it.each(MALFORMED)('rejects %j, which is not a host name', (name) => {
    expect(checkHostname(name)).toMatchObject({ ok: false, code: 'invalid_hostname' });
  });

  it.each(['10.0.0.1', '10.0.0.1.', '127.0.0.1', '::1', '[::1]', '[fd00::1]'])(
    'checks %s as an address and refuses it',
    (name) => expect(checkHostname(name)).toMatchObject({ ok: false, code: 'refused_address' }),
  );

  it('allows a public address', () => {
    expect(checkHostname('8.8.8.8')).toEqual({ ok: true });
    expect(checkHostname('[2606:4700::1111]')).toEqual({ ok: true });
  });

  it.each(['.svc.acme.net', 'svc.acme.net', 'SVC.acme.net.'])('refuses names under the cluster suffix %s', (suffix) => {
    const options = { clusterSuffixes: [suffix, '.', ''] };
    expect(checkHostname('crm.svc.acme.net', options)).toMatchObject({ code: 'refused_hostname' });
    expect(checkHostname('svc.acme.net.', options)).toMatchObject({ code: 'refused_hostname' });
    expect(checkHostname('crmsvc.acme.net', options)).toEqual({ ok: true });
  });

  it('accepts names of up to 253 characters', () => {
    const name = (length: number) => `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(length - 192 - 4)}.com`;
    expect(name(253)).toHaveLength(253);
    expect(checkHostname(name(253))).toEqual({ ok: true });
    expect(checkHostname(`${name(253)}.`)).toEqual({ ok: true });
    expect(checkHostname(name(254))).toMatchObject({ code: 'invalid_hostname' });
  });
});
