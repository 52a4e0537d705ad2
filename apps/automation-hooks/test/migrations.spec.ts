import { migrateEarlierDeadLetters } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { migrations } from '../src/migrations/index.js';

describe('a database with the earlier name of the table of dead letters', () => {
  it('keeps its dead letters and takes new ones after the migration', async () => {
    const migrated = await migrateEarlierDeadLetters('automation-hooks', migrations);
    expect(migrated).toEqual({ ran: ['DeadLetter1795219200103'], isKept: true, takesNew: true });
  });
});
