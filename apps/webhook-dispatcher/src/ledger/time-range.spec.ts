import { describe, expect, it } from '@jest/globals';
import { statsHours } from './time-range.js';

const at = (text: string) => Date.parse(`2026-11-${text}Z`);
const NOW = at('22T10:30:00');
const hours = (from: string | null, to: string | null) =>
  statsHours({ fromMs: from === null ? null : at(from), toMs: to === null ? null : at(to) }, NOW);
const times = (list: readonly number[]) => list.map((ms) => new Date(ms).toISOString().slice(8, 16));

describe('the hours of statistics', () => {
  it.each([
    ['the last 24 by default, the current one included', null, null, 24, '21T11:00', '22T10:00'],
    ['24 before a full hour, which is not one of them', null, '20T00:00:00', 24, '19T00:00', '19T23:00'],
    ['asked for in part', '20T08:59:00', '20T10:01:00', 3, '20T08:00', '20T10:00'],
    ['those of seven days at most', '10T00:30:00', '17T00:30:00', 169, '10T00:00', '17T00:00'],
  ])('are %s', (_, from, to, count, first, last) => {
    const { hoursMs } = hours(from, to);
    expect([hoursMs.length, ...times([hoursMs[0] as number, hoursMs.at(-1) as number])]).toEqual([count, first, last]);
  });

  it.each([
    [null, null, '21T11:00:00', '22T10:30:00'],
    ['20T08:59:00', '20T10:01:00', '20T08:59:00', '20T10:01:00'],
  ])('from %s to %s keep the range', (from, to, begin, end) => {
    expect(hours(from, to)).toMatchObject({ fromMs: at(begin), toMs: at(end) });
  });

  it.each(['20T08:30:00', '20T08:00:00'])('are none when the range is empty, at %s', (time) => {
    expect(hours(time, time).hoursMs).toEqual([]);
  });

  it.each([
    ['10T00:30:00', '17T00:30:01', 'from: must be within 7 days of to'],
    ['10T00:00:00', null, 'from: must be within 7 days of to'],
    ['20T08:00:00', '20T07:00:00', 'from: must be before to'],
    ['23T08:00:00', null, 'from: must be before to'],
  ])('from %s to %s are refused: %s', (from, to, detail) => {
    expect(() => hours(from, to)).toThrow(detail);
  });
});
