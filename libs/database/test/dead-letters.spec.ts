import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, storeDeadLetter } from '../src/index.js';
import { type Fixture, startFixture } from './fixture.js';

describe('a dead letter', () => {
  let fixture: Fixture;
  const tenant = newId();
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.drop());

  const letter = {
    consumer: 'x',
    messageKey: '7-1',
    sentAt: Date.now(),
    eventId: newId(),
    subject: 'events.lead.created.7',
    payload: Buffer.from('{}'),
    error: 'first',
    deliveries: 9,
  };
  const store = (changes: Partial<typeof letter> = {}) =>
    fixture.database.transaction(tenant, (tx) => storeDeadLetter(tx, { ...letter, ...changes }));

  it('is one row for a message that is stored twice, with the last error', async () => {
    const first = await store();
    expect(first.isNew).toBe(true);
    expect(await store({ error: 'second', deliveries: 10 })).toEqual({ id: first.id, isNew: false });
    expect(await fixture.admin('SELECT error, deliveries FROM dead_letter')).toEqual([
      { error: 'second', deliveries: 10 },
    ]);
  });

  it.each([{ consumer: 'y' }, { messageKey: '8-1' }, { sentAt: letter.sentAt - 86_400_000 }])(
    'is another row for %j',
    async (changes) => {
      const { id } = await store();
      const other = await store(changes);
      expect(other.isNew).toBe(true);
      expect(other.id).not.toBe(id);
    },
  );

  it('is one row also when several consumers store it at once', async () => {
    const stored = await Promise.all(Array.from({ length: 4 }, () => store({ messageKey: '9-1' })));
    expect(new Set(stored.map(({ id }) => id)).size).toBe(1);
    expect(stored.filter(({ isNew }) => isNew)).toHaveLength(1);
  });
});
