import { checkAddress, isAddress } from '@crm/address-policy';
import { EgressError, errorCodeOf } from './errors.js';
import type { Resolver } from './resolver.js';

/**
 * Looks up a name and returns its addresses if all of them may be called. One refused address refuses the whole
 * answer: a name that points to a public and a private host is either misconfigured or an attack, and the order of
 * the answer must not decide which one is called.
 *
 * @param hostname a name, or an address, which is returned as it is
 * @param exempt whether the host is an exception, whose addresses are not checked
 * @param signal cancels the lookup
 * @throws EgressError `dns` when the name has no address, `blocked` when an address is refused
 */
export async function lookupChecked(
  hostname: string,
  resolver: Resolver,
  { exempt, signal }: { exempt: boolean; signal?: AbortSignal },
): Promise<readonly string[]> {
  const addresses = isAddress(hostname) ? [hostname] : await resolve(hostname, resolver, signal);
  if (addresses.length === 0) throw new EgressError('dns', 'The host name has no address');
  for (const address of addresses) {
    const verdict = checkAddress(address);
    if (verdict.ok || (exempt && verdict.code === 'refused_address')) continue;
    throw new EgressError('blocked', 'The host name resolves to an address that is not public');
  }
  return addresses;
}

async function resolve(hostname: string, resolver: Resolver, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    return await resolver(hostname, signal);
  } catch (error) {
    const code = errorCodeOf(error);
    throw new EgressError('dns', `The host name could not be looked up${code && ` (${code})`}`, { cause: error });
  }
}
