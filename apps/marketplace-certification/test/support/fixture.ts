import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type Caller, Marketplace } from './marketplace.js';
import { Neighbours } from './neighbours.js';

/** What the tests of a file work with. */
export interface Fixture {
  readonly marketplace: Marketplace;
  readonly neighbours: Neighbours;
  /** The owner of a workspace that publishes; a new one for each test. */
  readonly developer: Caller;
  /** An administrator of another workspace; a new one for each test. */
  readonly tenant: Caller;
}

/**
 * Runs the service and its neighbours from the first test of a file to the last one. Before each test the neighbours
 * answer as usual.
 * @param ready gets what tests work with: once before the first test, and again before each
 * @param settings of installations, where they differ from the usual ones
 * @param quotas of publishers, where they differ from the usual ones
 */
export function useMarketplace(
  ready: (fixture: Fixture) => void,
  settings: Parameters<typeof Marketplace.start>[0] = {},
  quotas: Parameters<typeof Marketplace.start>[1] = {},
): void {
  let marketplace: Marketplace;
  let neighbours: Neighbours;
  const renew = async () => {
    const [developer, tenant] = await Promise.all([marketplace.caller('owner'), marketplace.caller()]);
    neighbours.reset();
    ready({ marketplace, neighbours, developer, tenant });
  };
  beforeAll(async () => {
    neighbours = await Neighbours.start();
    marketplace = await Marketplace.start(settings, quotas);
    await renew();
  });
  beforeEach(renew);
  afterAll(async () => {
    await marketplace.close();
    await neighbours.close();
  });
}
