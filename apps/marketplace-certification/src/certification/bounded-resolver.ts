/** All addresses of a host name; empty or a rejection when there is none. Ends by itself after some seconds. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** Names that one certification looks up at a time; each takes two sockets. The suite bounds how many there are in all. */
export const LOOKUPS_AT_A_TIME = 25;

/** A resolver that asks for every name, a few at a time in the order of asking. */
export function boundedResolver(resolve: ResolveHost, atATime = LOOKUPS_AT_A_TIME): ResolveHost {
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
