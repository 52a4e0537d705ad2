import { setImmediate } from 'node:timers/promises';
import { MAX_EXPRESSIONS } from '@crm/fields';
import { LIMITS } from '@crm/formula';
import { describe, expect, it } from '@jest/globals';
import { STANDARD_OBJECTS, type StoredField } from './object-definition.js';
import { ObjectModel } from './object-model.js';

describe('the model of an object with the longest formulas', () => {
  const source = Array.from({ length: LIMITS.nodes / 2 }, () => '1').join('+');
  const fields = Array.from(
    { length: Math.floor(MAX_EXPRESSIONS / source.length) },
    (_, key): StoredField => ({
      ...{ id: `${key}`, key, apiName: `f${key}`, label: 'F', type: 'formula', expression: source },
      ...{ slot: null, referenceObjectIds: [] },
    }),
  );

  it('is made in pieces, between which the process does what else there is to do', async () => {
    let [turns, isMade] = [0, false];
    const countTurns = async (): Promise<void> => {
      for (; !isMade; turns += 1) await setImmediate();
    };
    const counted = countTurns();
    const model = await ObjectModel.of({ ...STANDARD_OBJECTS.lead, revision: 1, fields });
    isMade = true;
    await counted;
    expect(turns).toBeGreaterThan(2);
    expect(model.valueTypeOf(fields[0]!)).toBe('number');
    expect(model.checkedFormula('f0')).toMatchObject({ ok: true, resultType: 'number' });
  });
});
