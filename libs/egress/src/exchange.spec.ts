import { describe, expect, it } from '@jest/globals';
import { classifyExchangeError, EgressError, errorCodeOf } from './errors.js';
import { ExchangeClock, type ExchangePhase, outgoingHeaders, type Timeouts } from './exchange.js';

/** An error like those of Node and undici. */
function coded(code: string, name = 'Error'): Error {
  return Object.assign(new Error('something failed'), { code, name });
}

const as = (code: string, ...errors: unknown[]) => errors.map((error): [unknown, string] => [error, code]);

describe('classifyExchangeError', () => {
  it.each<[unknown, string]>([
    ...as('too_large', coded('UND_ERR_HEADERS_OVERFLOW'), coded('HPE_HEADER_OVERFLOW')),
    ...as('http_protocol', coded('HPE_INVALID_CONSTANT'), coded('', 'HTTPParserError'), coded('UND_ERR_INVALID_ARG')),
    ...as('http_protocol', coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), coded('UND_ERR_NOT_SUPPORTED')),
    ...as('tls', coded('ERR_SSL_WRONG_VERSION_NUMBER'), coded('ERR_TLS_CERT_ALTNAME_INVALID')),
    ...as('reset', coded('ECONNRESET'), coded('UND_ERR_SOCKET'), new Error('without a code'), 'a text', null),
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

it.each<[unknown, string]>([
  [{ code: 'ENOTFOUND' }, 'ENOTFOUND'],
  [{ code: 7 }, ''],
  [undefined, ''],
  [null, ''],
])('errorCodeOf reads from %p the code %j', (error, code) => expect(errorCodeOf(error)).toBe(code));

const LONG = 600_000;

/** The code with which a clock ends that is used like this. */
async function endOf(timeouts: Partial<Timeouts>, use: (clock: ExchangeClock) => void = () => undefined) {
  const limits = { connectMs: LONG, headersMs: LONG, bodyMs: LONG, totalMs: LONG, ...timeouts };
  const error = await new Promise<EgressError>((resolve) => {
    use(new ExchangeClock(limits, { onTimeout: resolve }));
  });
  return error.code;
}

const enter =
  (...phases: ExchangePhase[]) =>
  (clock: ExchangeClock) => {
    for (const phase of phases) clock.enter(phase);
  };

describe('ExchangeClock', () => {
  it('ends with the limit of the phase it is in', async () => {
    expect(await endOf({ connectMs: 5 })).toBe('timeout_connect');
    expect(await endOf({ headersMs: 5 }, enter('headers'))).toBe('timeout_headers');
    expect(await endOf({ bodyMs: 5 }, enter('headers', 'body'))).toBe('timeout_body');
    expect(await endOf({ bodyMs: LONG }, (clock) => clock.shorten(5))).toBe('timeout_connect');
  });

  it('goes on when a phase ended before its limit', async () => {
    expect(await endOf({ connectMs: 5, headersMs: 30 }, enter('headers'))).toBe('timeout_headers');
    expect(await endOf({ connectMs: 5, headersMs: 10, totalMs: 30 }, enter('headers', 'body'))).toBe('timeout_total');
  });

  it('ends with the total limit in any phase, and does not lengthen a phase that is shortened', async () => {
    expect(await endOf({ totalMs: 5 })).toBe('timeout_total');
    expect(await endOf({ totalMs: 5 }, enter('headers', 'body'))).toBe('timeout_total');
    expect(await endOf({ connectMs: 5 }, (clock) => clock.shorten(LONG))).toBe('timeout_connect');
  });
});

/** The list as pairs, sorted by name. */
function pairs(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_none, at): [string, string] => [
    list[2 * at]!,
    list[2 * at + 1]!,
  ]).sort();
}

describe('outgoingHeaders', () => {
  it('gives the same for an object and for a list', () => {
    const expected = Object.entries({ 'accept-encoding': 'identity', 'user-agent': 'ours', 'x-a': '1' });
    expect(pairs(outgoingHeaders({ 'X-A': '1' }, 'ours'))).toEqual(expected);
    expect(pairs(outgoingHeaders(['X-A', '1'], 'ours'))).toEqual(expected);
  });

  it('keeps the last value of a header, whatever the case of its name', () => {
    const given = ['x-a', '1', 'X-A', '2', 'User-Agent', 'theirs'];
    const expected = Object.entries({ 'accept-encoding': 'identity', 'user-agent': 'theirs', 'x-a': '2' });
    expect(pairs(outgoingHeaders(given, 'ours'))).toEqual(expected);
  });

  it.each(['Host', 'connection', 'Content-Length', 'transfer-encoding', 'upgrade', 'accept-encoding', 'expect'])(
    'leaves out %s, which the client sets alone',
    (name) => {
      const ours = outgoingHeaders({}, 'ours');
      expect(outgoingHeaders({ [name]: 'x' }, 'ours')).toEqual(ours);
      expect(outgoingHeaders([name, 'x'], 'ours')).toEqual(ours);
    },
  );

  it('rejects a name without a value', () => expect(() => outgoingHeaders(['x-a'], 'ours')).toThrow(TypeError));
});
