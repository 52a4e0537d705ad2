import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../apps/gateway/src/routing/routing.js';
import { BEHIND_GATEWAY, CALLERS_OF_THE_INTERNET, SENDERS_OF_MAIL } from '../../libs/contracts/src/connections.js';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { serviceVariables } from '../deployment/service-variables.mjs';

describe('the connections of the contracts', () => {
  it('lead from the gateway to the services of its routes and to no other', () => {
    expect([...BEHIND_GATEWAY].sort()).toEqual([...new Set(ROUTES.map(([, upstream]) => upstream))].sort());
  });

  it('lead to the internet and to mail from the services whose configuration has something to do with them', async () => {
    /** @type {Record<'EGRESS_ALLOW' | 'SMTP_URL', string[]>} */
    const having = { EGRESS_ALLOW: [], SMTP_URL: [] };
    // One after the other: Jest cannot load a module of ours twice at the same time.
    for (const service of SERVICES) {
      const { known } = await serviceVariables(service);
      if (known.includes('EGRESS_ALLOW')) having.EGRESS_ALLOW.push(service);
      if (known.includes('SMTP_URL')) having.SMTP_URL.push(service);
    }
    expect(having.EGRESS_ALLOW).toEqual(CALLERS_OF_THE_INTERNET);
    expect(having.SMTP_URL).toEqual(SENDERS_OF_MAIL);
  });
});
