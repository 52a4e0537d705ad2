import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkUrl, hostOf, isException, MAX_URL_LENGTH, parseUrl } from './url.js';

const REFUSED: Record<string, string[]> = {
  refused_address: [
    ...['https://127.0.0.1/', 'https://127.1/', 'https://127.0.1/', 'https://2130706433/', 'https://0x7f000001/'],
    ...['https://0x7f.0.0.1/', 'https://0x7F.1/', 'https://017700000001/', 'https://0177.0.0.1/'],
    ...['https://0177.0.0.01/', 'https://127.0.0.1./', 'https://127.0.0.1:443/', 'https://%31%32%37.0.0.1/'],
    ...['https://①②⑦.⓪.⓪.①/', 'https://127。0。0。1/', 'https://127.0.0.1/', 'https://0/', 'https://0.0.0.0/'],
    ...['https://10.0.0.1/', 'https://10.1/', 'https://0xa000001/', 'https://167772161/', 'https://172.16.0.1/'],
    ...['https://192.168.1.1/', 'https://192.168.257/', 'https://0xc0.0xa8.1.1/', 'https://0300.0250.1.1/'],
    ...['https://169.254.169.254/latest/meta-data/', 'https://2852039166/', 'https://0xA9FEA9FE/'],
    ...['https://0251.0376.0251.0376/', 'https://168.63.129.16/', 'https://100.64.0.1/', 'https://198.18.0.1/'],
    ...['https://224.0.0.1/', 'https://255.255.255.255/', 'https://4294967295/', 'https://[::]/', 'https://[::1]/'],
    ...['https://[0:0:0:0:0:0:0:1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/'],
    ...['https://[::FFFF:10.0.0.1]/', 'https://[::ffff:8.8.8.8]/', 'https://[::127.0.0.1]/', 'https://[fe80::1]/'],
    ...['https://[fc00::1]/', 'https://[fd00:ec2::254]/', 'https://[ff02::1]/', 'https://[64:ff9b::7f00:1]/'],
    ...['https://[2001:db8::1]/', 'https://[2001::1]/', 'https://[2002:7f00:1::]/', 'https://[3fff::1]/'],
    ...['https://[2620:4f:8000::1]/', 'https:\\\\127.0.0.1\\', 'https:127.0.0.1', 'https:/127.0.0.1/'],
    ...['  https://127.0.0.1/  ', 'ht\ntps://127.0\t.0.1/', 'HTTPS://127.0.0.1/', 'https://127%2e0%2e0%2e1/'],
    ...['https://1%32%37.0.0.1/', 'https://0x7f.0x0.0x0.0x1/', 'https://0X7F.0.0.1/', 'https://0177.0x0.0.1/'],
    ...['https://127.255.255.254/', 'https://127.0.0.1:0443/', 'https://0x0/', 'https://00/'],
    ...['https://10.255.255.255/', 'https://012.1.2.3/', 'https://172.31.255.255/', 'https://0xac100001/'],
    ...['https://192.168.0.1./', 'https://3232235777/', 'https://192.0.0.8/', 'https://192.0.2.1/'],
    ...['https://192.31.196.1/', 'https://192.52.193.1/', 'https://192.88.99.1/', 'https://192.175.48.1/'],
    ...['https://198.19.255.255/', 'https://198.51.100.7/', 'https://203.0.113.9/', 'https://239.255.255.250/'],
    ...['https://240.0.0.1/', 'https://100.127.255.255/', 'https://100.100.100.200/latest/meta-data/'],
    ...[
      'https://１２７.0.0.1/',
      'https://１０．０．０．１/',
      'https://169.254.169.254./',
      'https://[::169.254.169.254]/',
    ],
    ...['https://[::ffff:0:127.0.0.1]/', 'https://[::ffff:a9fe:a9fe]/'],
    ...['https://[0000:0000:0000:0000:0000:ffff:10.0.0.1]/', 'https://[64:ff9b:1::1]/', 'https://[100::1]/'],
    ...['https://[2001:10::1]/', 'https://[2001:0:7f00:1::]/', 'https://[2002:a9fe:a9fe::]/', 'https://[5f00::1]/'],
    ...['https://[fec0::1]/', 'https://[feff::1]/', 'https://[FD00::1]/', 'https://[4000::1]/'],
    ...['https://10.0.0.1\\@example.com/', 'https://10.0.0.1#@example.com/', 'https://10.0.0.1?@example.com/'],
  ],
  refused_hostname: [
    ...['https://localhost/', 'https://LOCALHOST./', 'https://ⓛocalhost/', 'https://loc%61lhost/'],
    ...['https://loc\u00adalhost/', 'https://a.localhost/', 'https://printer.local/'],
    ...['https://metadata.google.internal/computeMetadata/v1/', 'https://metadata.google.internal./'],
    ...['https://metadata.goog/', 'https://intranet/', 'https://wiki.intranet/', 'https://nas.lan/'],
    ...['https://router.home.arpa/', 'https://git.corp/', 'https://abc.onion/', 'https://receiver.test/'],
    ...['https://a.invalid/', 'https://a.example/', 'https://kubernetes/', 'https://postgres:443/'],
    ...['https://crm.default.svc.cluster.local/', 'https:/localhost', 'https://例/', 'https://LocalHost:443/'],
    ...[
      'https://localhost%2e/',
      'https://ｌｏｃａｌｈｏｓｔ/',
      'https://a.b.c.localhost./',
      'https://db.internal:443/',
    ],
    ...['https://metadata.packet.net/', 'https://metadata.platformequinix.com/'],
    ...['https://metadata.tencentyun.com/latest/', 'https://x.y.home.arpa./', 'https://host.docker.internal/'],
    ...['https://_dns.resolver.arpa.local/'],
  ],
  has_userinfo: [
    ...['https://user@example.com/', 'https://user:secret@example.com/', 'https://:secret@example.com/'],
    ...['https://example.com@127.0.0.1/', 'https://127.0.0.1@example.com/', 'https://%40@example.com/'],
    ...['https://a@b@example.com/'],
  ],
  not_https: [
    ...['http://example.com/', 'http://127.0.0.1/', 'ftp://example.com/', 'file:///etc/passwd'],
    ...['javascript:alert(1)', 'data:text/plain,a', 'ws://example.com/', 'wss://example.com/'],
    ...['gopher://example.com/', 'blob:https://example.com/1', 'httpss://example.com/', 'mailto:a@example.com'],
  ],
  refused_port: [
    ...['https://example.com:80/', 'https://example.com:8443/', 'https://example.com:0/', 'https://example.com:22/'],
    ...['https://example.com:65535/', 'https://8.8.8.8:6379/', 'https://[2606:4700::1111]:4430/'],
    ...['https://example.com:0444/'],
  ],
  invalid_url: [
    ...['', ' ', 'example.com', '//example.com/', '/path', 'https', 'https:', 'https://', 'https:///', 'https://?'],
    ...['https://#', 'https://@/', 'https://example.com:65536/', 'https://example.com:x/', 'https://exa mple.com/'],
    ...['https://exa<mple.com/', 'https://[::1/', 'https://::1/', 'https://[::g]/', 'https://[fe80::1%25eth0]/'],
    ...['https://[::1]a/', 'https://256.256.256.256/', 'https://1.2.3.4.5/', 'https://0x100000000/'],
    ...['https://4294967296/', 'https://a.0x7f/', 'https://a.1/', 'https://%00.com/'],
    ...['https://a%2fb.com/'],
  ],
  invalid_hostname: [
    ...['https://a..com/', 'https://.a.com/', 'https://a.com../', 'https://-a.com/', 'https://a-.com/'],
    ...['https://a$b.com/', "https://a'b.com/", 'https://*.example.com/', `https://${'a'.repeat(64)}.com/`],
    ...[`https://${'a.'.repeat(130)}com/`],
  ],
  url_too_long: [
    `https://example.com/${'a'.repeat(MAX_URL_LENGTH)}`,
    `https://example.com/${'ü'.repeat(400)}`,
    `${' '.repeat(MAX_URL_LENGTH)}https://example.com/`,
  ],
};

const same = (...urls: string[]) => urls.map((url) => [url, url] as const);
const ALLOWED = [
  ...same(
    'https://example.com/',
    'https://example.com./',
    'https://hooks.acme.example.com/in?x=1#y',
    'https://8.8.8.8/',
  ),
  ...same('https://example.com/@127.0.0.1/', 'https://localhost.example.com/', 'https://127.0.0.1.example.com/'),
  ...same('https://[2606:4700:4700::1111]/', `https://example.com/${'a'.repeat(MAX_URL_LENGTH - 20)}`),
  ...['https://example.com', 'https:example.com', 'https://example.com:0443/', 'https://@example.com/'].map(
    (url) => [url, 'https://example.com/'] as const,
  ),
  ['https://ex%61mple.com/', 'https://example.com/'],
  ['https://example.com:443/a', 'https://example.com/a'],
  ['HTTPS://EXAMPLE.COM/A', 'https://example.com/A'],
  ['https:\\\\example.com\\a', 'https://example.com/a'],
  ['https://bücher.de/', 'https://xn--bcher-kva.de/'],
  ['https://例え.jp/', 'https://xn--r8jz45g.jp/'],
  ['https://example.com?u=https://10.0.0.1/', 'https://example.com/?u=https://10.0.0.1/'],
  ...['134744072', '0x08080808', '010.010.010.010'].map((host) => [`https://${host}/`, 'https://8.8.8.8/'] as const),
  ['https://[2606:4700:4700:0:0:0:0:1111]:443/', 'https://[2606:4700:4700::1111]/'],
] as const;

describe('checkUrl', () => {
  it('accepts URLs of up to 2,048 characters', () => expect(MAX_URL_LENGTH).toBe(2048));

  it.each(Object.entries(REFUSED).flatMap(([code, urls]) => urls.map((url) => [code, url] as const)))(
    'refuses with %s: %j',
    (code, url) => expect(checkUrl(url)).toMatchObject({ ok: false, code, message: expect.stringMatching(/[^.]$/) }),
  );

  it('refuses a host that is encoded from nothing, to which the URL parsers of Node 20 and 24 give different reasons', () => {
    const code = expect.stringMatching(/^invalid_(url|hostname)$/);
    expect(checkUrl('https://xn--/')).toMatchObject({ ok: false, code });
  });

  it.each(ALLOWED)('allows %j', (text, href) => {
    expect(checkUrl(text)).toMatchObject({ ok: true, url: expect.objectContaining({ href }) });
  });

  it('allows listed ports on public hosts only', () => {
    const options = { allowedPorts: [8443] };
    expect(checkUrl('https://example.com:8443/', options)).toMatchObject({ ok: true });
    expect(checkUrl('https://example.com/', options)).toMatchObject({ ok: true });
    expect(checkUrl('https://10.0.0.1:8443/', options)).toMatchObject({ code: 'refused_address' });
    expect(checkUrl('https://example.com:8444/', options)).toMatchObject({ code: 'refused_port' });
  });

  it('refuses names under a cluster suffix', () => {
    const options = { clusterSuffixes: ['.k8s.acme.net'] };
    expect(checkUrl('https://crm.k8s.acme.net/', options)).toMatchObject({ code: 'refused_hostname' });
  });

  it('allows an exception on exactly its host and port, over https and without userinfo', () => {
    const loopback = ['127.0.0.1', '::1'].map((host) => ({ host, port: 9443 }));
    const options = { exceptions: [...loopback, { host: 'Receiver.test', port: 443 }] };
    for (const host of ['127.0.0.1:9443', '0x7f.1:9443', '[::1]:9443', 'receiver.test.']) {
      expect(checkUrl(`https://${host}/`, options)).toMatchObject({ ok: true });
    }
    expect(checkUrl('https://127.0.0.1:9444/', options)).toMatchObject({ code: 'refused_port' });
    expect(checkUrl('https://127.0.0.1/', options)).toMatchObject({ code: 'refused_address' });
    expect(checkUrl('https://127.0.0.2:9443/', options)).toMatchObject({ code: 'refused_port' });
    expect(checkUrl('http://127.0.0.1:9443/', options)).toMatchObject({ code: 'not_https' });
    expect(checkUrl('https://u@127.0.0.1:9443/', options)).toMatchObject({ code: 'has_userinfo' });
  });

  it('returns a verdict for any text, and the same one for the URL it parsed', () => {
    const piece = fc.constantFrom(
      ...['https://', 'http:', '127.0.0.1', '[::1]', 'example.com', '@', ':', '/', '\\', '#', '?', '%', '.', '0x7f'],
      ...['。'],
    );
    const text = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 8 }).map((p) => `https://${p.join('')}`),
    );
    fc.assert(
      fc.property(text, (url) => {
        const verdict = checkUrl(url);
        if (!verdict.ok) return;
        expect(verdict.url.protocol).toBe('https:');
        const { href } = verdict.url;
        expect(href.length).toBeLessThanOrEqual(MAX_URL_LENGTH);
        expect(checkUrl(href)).toMatchObject({ ok: true, url: expect.objectContaining({ href }) });
      }),
      { numRuns: 5000 },
    );
  });
});

it('isException compares hosts in their parsed form', () => {
  const url = new URL('https://[::0001]:9443/');
  expect(hostOf(url)).toBe('::1');
  expect(isException(url, [{ host: '::1', port: 9443 }])).toBe(true);
  expect(isException(url)).toBe(false);
});

describe('parseUrl', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['https://bücher.de/ä', 'https://xn--bcher-kva.de/%C3%A4'],
    ['example.com', undefined],
    ['', undefined],
    ['https://', undefined],
    ['https://a b/', undefined],
  ])('parses %j to %s', (text, href) => expect(parseUrl(text)?.href).toBe(href));

  it('resolves a relative URL against its base', () => {
    expect(parseUrl('../b', 'https://example.com/a/c')?.href).toBe('https://example.com/b');
    expect(parseUrl('../b', 'nowhere')).toBeUndefined();
  });

  it('gives the same answer for a URL with an umlaut after thousands of calls', () => {
    const urls = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.de/'));
    expect(urls.filter((url) => url === undefined)).toEqual([]);
  });
});
