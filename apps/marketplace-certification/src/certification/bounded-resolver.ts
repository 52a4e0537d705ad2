/** All addresses of a host name; empty or a rejection when there is none. Ends by itself after some seconds. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** Names that one publisher's certifications look up at a time. The suite bounds how many a package has. */
export const LOOKUPS_OF_A_TENANT = 25;
/** Names that the process looks up at a time; each takes two sockets. */
export const LOOKUPS_AT_A_TIME = 200;

/**
 * Resolvers that share the places of a process. A publisher whose names are silent waits for its own places, so that it
 * never has more than those in front of anybody else.
 */
export class SharedLookups {
  private readonly resolve: ResolveHost;
  /** Of the tenants that wait for an answer. */
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

/** A resolver that asks for every name, a few at a time in the order of asking. */
export function boundedResolver(resolve: ResolveHost, atATime: number): ResolveHost {
  const waiting: (() => void)[] = [];
  let free = atATime;
  const place = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((enter) => waiting.push(enter));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async (hostname) => {
    await place();
    try {
      return await resolve(hostname);
    } finally {
      leave();
    }
  };
}
