import { describe, expect, it } from '@jest/globals';
import { TenantShares } from './tenant-shares.js';

/** Starts as much work as the tenant may. */
function fill(shares: TenantShares, tenantId: string): number {
  let begun = 0;
  for (; shares.mayBegin(tenantId); begun += 1) shares.begun(tenantId);
  return begun;
}

describe('the shares of tenants', () => {
  it('leave places for the next tenant, however much work earlier ones have', () => {
    const shares = new TenantShares(32);
    expect(['a', 'b', 'c', 'd', 'e'].map((tenant) => fill(shares, tenant))).toEqual([16, 8, 4, 2, 1]);
    expect(shares.full().sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(shares.mayBegin('f')).toBe(true);
  });

  it('grow again when work of any tenant ends', () => {
    const shares = new TenantShares(4);
    expect(fill(shares, 'a')).toBe(2);
    expect(fill(shares, 'b')).toBe(1);
    shares.ended('a');
    expect(shares.full()).toEqual([]);
    expect(fill(shares, 'b')).toBe(1);
    for (const tenant of ['a', 'b', 'b']) shares.ended(tenant);
    expect(shares.free).toBe(4);
    expect(shares.full()).toEqual([]);
  });

  it('of a single place go to the first tenant, and of no place to none', () => {
    expect(new TenantShares(1).mayBegin('a')).toBe(true);
    expect(new TenantShares(0).mayBegin('a')).toBe(false);
  });
});
