import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import { type Caller, Marketplace } from './marketplace.js';
import { Neighbours } from './neighbours.js';

export let marketplace: Marketplace;
export let neighbours: Neighbours;
/** The owner of a workspace that publishes; a new one for each test. */
export let developer: Caller;
/** An administrator of another workspace; a new one for each test. */
export let tenant: Caller;

/**
 * Runs the service and its neighbours from the first test of a file to the last one. Before each test the neighbours
 * answer as usual.
 */
export function useMarketplace(): void {
  const renew = async () => {
    [developer, tenant] = await Promise.all([marketplace.caller('owner'), marketplace.caller()]);
    neighbours.reset();
  };
  beforeAll(async () => {
    neighbours = await Neighbours.start();
    marketplace = await Marketplace.start();
    await renew();
  });
  beforeEach(renew);
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await marketplace.close();
    await neighbours.close();
  });
}
