import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer } = fixture);
});

/** NET-001 of a package that calls these hosts. */
async function judged(hosts: readonly string[]) {
  const webhooks = hosts.map((host) => ({ events: ['lead.created'], url: `https://${host}/` }));
  const manifest = { ...fieldService(newKey()), webhooks };
  const { body } = await marketplace.request(developer, 'POST', '/developer/certifications', { manifest });
  return body.checks.find(({ id }) => id === 'NET-001');
}

describe('the host names of a package', () => {
  const public99 = Array.from({ length: 99 }, (_, i) => `h${i}.example.com`);

  it('are all looked up, up to the number that a package may have', async () => {
    expect(await judged([...public99, 'here.example.com'])).toMatchObject({ status: 'pass' });
    expect(await judged([...public99, 'inside.example.com'])).toMatchObject({
      status: 'fail',
      pointer: '/webhooks/99/url',
      message: 'The host name inside.example.com resolves to an address that is not public.',
    });
  });
});
