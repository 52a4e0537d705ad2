import { expect, it } from '@jest/globals';
import { DATABASES, TOLERATED_STEPS } from '../../libs/contracts/src/databases.js';

it.each(/** @type {(keyof typeof DATABASES)[]} */ (Object.keys(DATABASES)))(
  'the list of what the release before %s works with names its newest steps',
  async (service) => {
    const { migrations } = await import(`../../apps/${service}/src/migrations/index.js`);
    const names = migrations.map((/** @type {{ name: string }} */ { name }) => name);
    const tolerated = TOLERATED_STEPS[service];
    expect(tolerated).toEqual(tolerated.length === 0 ? [] : names.slice(-tolerated.length));
  },
);
