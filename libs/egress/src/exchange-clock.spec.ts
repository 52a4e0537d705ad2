import { describe, expect, it } from '@jest/globals';
import type { EgressError } from './errors.js';
import { ExchangeClock, type ExchangePhase, type Timeouts } from './exchange-clock.js';

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
