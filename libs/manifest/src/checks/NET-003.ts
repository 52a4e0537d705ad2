import { isAddress } from '@crm/address-policy';
import type { Check } from '../check.js';
import { MAX_HOSTS, urlsByHost } from '../outbound-urls.js';

export const NET_003: Check = {
  id: 'NET-003',
  title: 'Every host name resolves now',
  severity: 'advice',
  doc: {
    why: 'A name that does not resolve at the moment is often misspelt. It does not refuse the package, since every call looks the name up again.',
    fix: 'Check the spelling, or set the name up before tenants install the app.',
  },
  async run(context) {
    if (!context.probes.resolveHost) return { skip: 'Names are looked up by the marketplace only.' };
    const hosts = [...urlsByHost(context.manifest, context.addressPolicy)].slice(0, MAX_HOSTS);
    const outcomes = await Promise.all(
      hosts.map(async ([host, urls]) => {
        // An address in the place of a name has nothing to resolve.
        const answers = isAddress(host) ? [host] : await context.resolveHost(host);
        return answers?.length === 0
          ? urls.map(({ pointer }) => ({ pointer, message: `The name ${host} does not resolve.` }))
          : [];
      }),
    );
    return outcomes.flat();
  },
};
