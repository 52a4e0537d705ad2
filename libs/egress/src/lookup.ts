import { checkAddress, isAddress } from '@crm/address-policy';
import { EgressError, errorCodeOf } from './errors.js';
import type { Resolver } from './resolver.js';

/**
 * Looks a name up and gives its addresses when all of them may be called. One refused address among them
 * refuses the whole answer: a name that points at a public and a private host is either broken or an attack,
 * and picking the public one would leave the choice to whoever orders the answer.
 *
 * @param hostname a name, or an address, which is its own answer
 * @param exempt true for a host that is an exception; its addresses are not judged
 * @param signal ends the lookup when nobody waits for it any more
 * @throws EgressError `dns` when the name has no address, `blocked` when an address is refused
 */
export async function lookupChecked(
  hostname: string,
  resolver: Resolver,
  { exempt, signal }: { exempt: boolean; signal?: AbortSignal },
): Promise<readonly string[]> {
  const addresses = isAddress(hostname) ? [hostname] : await resolve(hostname, resolver, signal);
  if (addresses.length === 0) throw new EgressError('dns', 'The host name has no address.');
  for (const address of addresses) {
    const verdict = checkAddress(address);
    if (verdict.ok || (exempt && verdict.code === 'refused_address')) continue;
    throw new EgressError('blocked', 'The host name leads to an address that is not public.');
  }
  return addresses;
}

async function resolve(hostname: string, resolver: Resolver, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    return await resolver(hostname, signal);
  } catch (error) {
    const code = errorCodeOf(error);
    throw new EgressError('dns', `The host name could not be looked up${code && ` (${code})`}.`, { cause: error });
  }
}
