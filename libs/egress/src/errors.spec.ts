import { describe, expect, it } from '@jest/globals';
import { classifyExchangeError, EgressError, errorCodeOf } from './errors.js';

/** An error like those of Node and undici. */
function coded(code: string, name = 'Error'): Error {
  return Object.assign(new Error('something failed'), { code, name });
}

describe('classifyExchangeError', () => {
  it.each<[unknown, string]>([
    [coded('UND_ERR_HEADERS_OVERFLOW'), 'too_large'],
    [coded('HPE_HEADER_OVERFLOW'), 'too_large'],
    [coded('HPE_INVALID_CONSTANT'), 'http_protocol'],
    [coded('', 'HTTPParserError'), 'http_protocol'],
    [coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'http_protocol'],
    [coded('UND_ERR_INVALID_ARG'), 'http_protocol'],
    [coded('UND_ERR_NOT_SUPPORTED'), 'http_protocol'],
    [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
    [coded('ECONNRESET'), 'reset'],
    [coded('UND_ERR_SOCKET'), 'reset'],
    [new Error('without a code'), 'reset'],
    ['a text', 'reset'],
    [null, 'reset'],
  ])('classifies %p as %s', (error, code) => {
    const classified = classifyExchangeError(error);
    expect(classified).toMatchObject({ name: 'EgressError', code, cause: error });
    expect(classified.message).toMatch(/[^.]$/);
  });

  it('returns an EgressError unchanged', () => {
    const error = new EgressError('blocked', 'No.');
    expect(classifyExchangeError(error)).toBe(error);
  });
});

describe('errorCodeOf', () => {
  it.each<[unknown, string]>([
    [{ code: 'ENOTFOUND' }, 'ENOTFOUND'],
    [{ code: 7 }, ''],
    [undefined, ''],
    [null, ''],
  ])('reads from %p the code %j', (error, code) => {
    expect(errorCodeOf(error)).toBe(code);
  });
});
