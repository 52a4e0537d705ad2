import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CertificateAuthority,
  certificateAuthority,
  type Signed,
} from '../../../../scripts/servers/certificate-authority.mjs';
import { outcomeIn } from '../../test/outcome-of.js';
import { authoritiesConfig, tlsConfig } from './tls-config.js';

let folder = '';
let authority: CertificateAuthority;
let mine: Signed;
let another: Signed;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crm-tls-'));
  authority = await certificateAuthority();
  mine = await authority.sign(['identity']);
  another = await authority.sign(['identity']);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @returns its path */
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the certificate of a service', () => {
  const given = (certificateFile: string, keyFile: string) =>
    outcomeIn({ TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile }, tlsConfig);

  it('is not asked for: without it HTTP is spoken', () => {
    expect(outcomeIn({}, tlsConfig)).toBeUndefined();
    expect(given('', '')).toBeUndefined();
  });

  it('is one that fits its key, alone or with those above it', () => {
    const keyFile = file('tls.key', mine.key);
    for (const content of [mine.cert, `${mine.cert}\n${authority.ca}`]) {
      const certificateFile = file('tls.crt', content);
      expect(given(certificateFile, keyFile)).toEqual({ certificateFile, keyFile });
    }
  });

  it('is refused without its key, and the key without it', () => {
    expect(given(file('tls.crt', mine.cert), '')).toEqual([
      'TLS_CERT_FILE is set without TLS_KEY_FILE: a service needs both to speak TLS',
    ]);
    expect(given('', file('tls.key', mine.key))).toEqual([
      'TLS_KEY_FILE is set without TLS_CERT_FILE: a service needs both to speak TLS',
    ]);
  });

  it('is refused with the key of another', () => {
    const [certificateFile, keyFile] = [file('tls.crt', mine.cert), file('other.key', another.key)];
    expect(given(certificateFile, keyFile)).toEqual([
      `TLS_KEY_FILE: ${keyFile} is not the key of the certificate in ${certificateFile} (TLS_CERT_FILE)`,
    ]);
  });

  it('is refused while those above it are written, or when one of them is broken', () => {
    const keyFile = file('tls.key', mine.key);
    const broken = authority.ca.replace(/\n\w/g, '\nA');
    for (const more of [authority.ca.slice(0, 5), authority.ca.slice(0, 20), authority.ca.slice(0, -30), broken]) {
      const certificateFile = file('tls.crt', `${mine.cert}\n${more}`);
      expect(given(certificateFile, keyFile)).toEqual([
        expect.stringMatching(
          new RegExp(`^TLS_CERT_FILE: ${certificateFile} (is cut off|cannot be presented \\(.+\\))$`),
        ),
      ]);
    }
  });

  it('is refused when a file is not there, empty or something else, with its path and never with what it holds', () => {
    const [certificateFile, keyFile] = [file('tls.crt', mine.cert), file('tls.key', mine.key)];
    const missing = join(folder, 'missing');
    expect(given(missing, keyFile)).toEqual([`TLS_CERT_FILE: ${missing} cannot be read (file not found)`]);
    expect(given(certificateFile, folder)).toEqual([`TLS_KEY_FILE: ${folder} cannot be read (it's a folder)`]);
    const empty = file('empty', '\n');
    expect(given(certificateFile, empty)).toEqual([`TLS_KEY_FILE: ${empty} is empty`]);
    // Mixed up.
    expect(given(keyFile, certificateFile)).toEqual([`TLS_CERT_FILE: ${keyFile} is no certificate in PEM`]);
    expect(given(certificateFile, certificateFile)).toEqual([
      `TLS_KEY_FILE: ${certificateFile} is no private key in PEM, or is locked with a passphrase`,
    ]);
  });
});

describe('the authorities that a caller trusts', () => {
  const given = (path: string) =>
    outcomeIn({ UPSTREAM_CA_FILE: path }, (env) => authoritiesConfig(env, 'UPSTREAM_CA_FILE'));

  it('are those of the system unless a file is named', () => {
    expect(given('')).toBeUndefined();
  });

  it('are one or several certificates in a file', () => {
    for (const content of [authority.ca, `# the next one\n${mine.cert}\n${authority.ca}`]) {
      const path = file('ca.crt', content);
      expect(given(path)).toBe(path);
    }
  });

  it('are refused when there is none, or one that cannot be read: it would be passed over, and nothing trusted', () => {
    const broken = authority.ca.replace(/\n\w/g, '\nA');
    const cut = authority.ca.slice(0, -30);
    for (const content of [mine.key, 'hello', broken, ...[broken, cut, mine.key].map((more) => authority.ca + more)]) {
      const path = file('broken.crt', content);
      expect(given(path)).toEqual([`UPSTREAM_CA_FILE: ${path} does not consist of certificates in PEM`]);
    }
    const missing = join(folder, 'missing');
    expect(given(missing)).toEqual([`UPSTREAM_CA_FILE: ${missing} cannot be read (file not found)`]);
  });
});
