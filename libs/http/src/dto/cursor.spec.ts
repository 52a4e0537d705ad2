import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CursorBinding, type CursorValueType, readCursor, writeCursor } from './lists.js';

const ID = '0190a000-0000-7000-8000-0000000000aa';
const BINDING: CursorBinding = {
  tenantId: '0190a000-0000-7000-8000-000000000001',
  list: 'lead',
  sort: 'amount',
  filter: ['status', 'open'],
  value: 'number',
};
const refused = expect.objectContaining({ code: 'INVALID_QUERY' });

const encode = (text: string) => Buffer.from(text).toString('base64url');
const decode = (cursor: string) => Buffer.from(cursor, 'base64url').toString();

/** A forged cursor with a valid mark, which anyone who has seen a cursor of the list can make. */
function forged(binding: CursorBinding, value: unknown, id: unknown): string {
  const [mark] = JSON.parse(decode(writeCursor(binding, { value: null, id: ID })));
  return encode(JSON.stringify([mark, value, id]));
}

describe('a cursor', () => {
  it('can be read in its own list', () => {
    for (const value of [3, -1.5, null]) {
      expect(readCursor(BINDING, writeCursor(BINDING, { value, id: ID }))).toEqual({ value, id: ID });
    }
    const byName: CursorBinding = { ...BINDING, value: 'text', id: 'text' };
    const position = { value: 'Ä "x"', id: 'acme-app' };
    expect(readCursor(byName, writeCursor(byName, position))).toEqual(position);
  });

  it.each<[string, Partial<CursorBinding>]>([
    ['tenant', { tenantId: '0190a000-0000-7000-8000-000000000002' }],
    ['list', { list: 'task' }],
    ['order', { sort: '-amount' }],
    ['filter', { filter: ['status', 'won'] }],
    ['list without a filter', { filter: undefined }],
  ])('is refused in another %s', (_what, other) => {
    const cursor = writeCursor(BINDING, { value: 3, id: ID });
    expect(() => readCursor({ ...BINDING, ...other }, cursor)).toThrow(refused);
  });

  it.each<[CursorValueType, unknown]>([
    ['none', 'x'],
    ['none', 0],
    ['text', 1],
    ['text', 'a\0b'],
    ['number', '1'],
    ['date', '2026-02-30'],
    ['date', '0000-01-01'],
    ['date-time', 'yesterday'],
    ['date-time', '0000-01-01T00:00:00Z'],
    ['date-time', '2024-01-01T10:00:00.5+18:00'],
    ['uuid', '17'],
    ['text', true],
    ['text', ['x']],
    ['number', {}],
  ])('with a position that would fail in SQL is refused: %s %j', (value, forgedValue) => {
    const binding = { ...BINDING, value };
    expect(() => readCursor(binding, forged(binding, forgedValue, ID))).toThrow(refused);
  });

  it.each(['x', '', null, 1, `${ID}'`, undefined])('with the id %j is refused', (id) => {
    expect(() => readCursor(BINDING, forged(BINDING, 3, id))).toThrow(refused);
  });

  it('in another spelling of the same bytes is refused', () => {
    const cursor = writeCursor(BINDING, { value: 3, id: ID });
    for (const spelling of [`${cursor}=`, `${cursor}==`, `${cursor}\n`]) {
      expect(() => readCursor(BINDING, spelling)).toThrow(refused);
    }
  });

  it('that is not a cursor is refused', () => {
    const cursors = fc.oneof(fc.string(), fc.json().map(encode));
    fc.assert(
      fc.property(cursors, (cursor) => {
        expect(() => readCursor(BINDING, cursor)).toThrow(refused);
      }),
    );
    const beyondDouble = decode(forged(BINDING, 1, ID)).replace(',1,', ',1e999,');
    expect(() => readCursor(BINDING, encode(beyondDouble))).toThrow(refused);
  });
});
