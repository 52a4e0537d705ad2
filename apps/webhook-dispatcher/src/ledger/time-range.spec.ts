import { describe, expect, it } from '@jest/globals';
import { statsHours } from './time-range.js';

const at = (text: string) => Date.parse(`2026-11-${text}Z`);
const NOW = at('22T10:30:00');
const hours = (from: string | null, to: string | null) =>
  statsHours({ fromMs: from === null ? null : at(from), toMs: to === null ? null : at(to) }, NOW);
const times = (list: readonly number[]) => list.map((ms) => new Date(ms).toISOString().slice(8, 16));

describe('the hours of statistics', () => {
  it('are the last 24 by default, the current one included', () => {
    const { fromMs, toMs, hoursMs } = hours(null, null);
    expect([hoursMs.length, fromMs, toMs]).toEqual([24, at('21T11:00:00'), NOW]);
    expect(times([hoursMs[0] as number, hoursMs.at(-1) as number])).toEqual(['21T11:00', '22T10:00']);
  });

  it('are 24 before a full hour, which is not one of them', () => {
    const { hoursMs } = hours(null, '20T00:00:00');
    expect([hoursMs.length, ...times(hoursMs.slice(-1))]).toEqual([24, '19T23:00']);
  });

  it('may be asked for in part', () => {
    const { fromMs, toMs, hoursMs } = hours('20T08:59:00', '20T10:01:00');
    expect(times(hoursMs)).toEqual(['20T08:00', '20T09:00', '20T10:00']);
    expect([fromMs, toMs]).toEqual([at('20T08:59:00'), at('20T10:01:00')]);
  });

  it('are none when the range is empty', () => {
    expect(hours('20T08:30:00', '20T08:30:00').hoursMs).toEqual([]);
    expect(hours('20T08:00:00', '20T08:00:00').hoursMs).toEqual([]);
  });

  it('are at most those of seven days', () => {
    expect(hours('10T00:30:00', '17T00:30:00').hoursMs).toHaveLength(169);
    expect(() => hours('10T00:30:00', '17T00:30:01')).toThrow('from: more than 7 days before to');
    expect(() => hours('10T00:00:00', null)).toThrow('from: more than 7 days before to');
  });

  it('do not run backwards', () => {
    expect(() => hours('20T08:00:00', '20T07:00:00')).toThrow('from: is later than to');
    expect(() => hours('23T08:00:00', null)).toThrow('from: is later than to');
  });
});
