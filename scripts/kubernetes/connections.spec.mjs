import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../apps/gateway/src/routing/routing.js';
import { BEHIND_GATEWAY } from '../../libs/contracts/src/connections.js';

describe('the connections of the contracts', () => {
  it('lead from the gateway to the services of its routes and to no other', () => {
    expect([...BEHIND_GATEWAY].sort()).toEqual([...new Set(ROUTES.map(([, upstream]) => upstream))].sort());
  });
});
