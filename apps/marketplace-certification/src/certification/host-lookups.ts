import { nameServerResolver } from '@crm/egress';

/** Returns all addresses of a host name; empty or rejected when there is none. Ends on its own after some seconds. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

export const RESOLVE_HOST = Symbol('resolve host');

/** Milliseconds that the lookup of a name may take: silent name servers cannot hold up the certification. */
const LOOKUP_MS = 2000;

export const egressResolver: ResolveHost = nameServerResolver({ limitMs: LOOKUP_MS });

/** Names that the certifications of one publisher look up at a time. The suite limits how many a package may have. */
export const LOOKUPS_OF_A_TENANT = 25;
/** Names that the process looks up at a time; each takes two sockets. */
export const LOOKUPS_AT_A_TIME = 200;

/**
 * Resolvers that share the lookups of a process. A publisher whose names get no answer waits for its own lookups, so that
 * no other publisher ever waits for more than its share.
 */
export class SharedLookups {
  private readonly resolve: ResolveHost;
  private readonly tenants = new Map<string, { resolve: ResolveHost; waiting: number }>();

  constructor(resolve: ResolveHost) {
    this.resolve = boundedResolver(resolve, LOOKUPS_AT_A_TIME);
  }

  for(tenantId: string): ResolveHost {
    return async (hostname) => {
      const tenant = this.tenants.get(tenantId) ?? {
        resolve: boundedResolver(this.resolve, LOOKUPS_OF_A_TENANT),
        waiting: 0,
      };
      this.tenants.set(tenantId, tenant);
      tenant.waiting += 1;
      try {
        return await tenant.resolve(hostname);
      } finally {
        tenant.waiting -= 1;
        if (tenant.waiting === 0) this.tenants.delete(tenantId);
      }
    };
  }
}

/** Looks up a few names at a time, in the order in which they were requested. */
export function boundedResolver(resolve: ResolveHost, atATime: number): ResolveHost {
  const waiting: (() => void)[] = [];
  let free = atATime;
  return async (hostname) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await resolve(hostname);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
